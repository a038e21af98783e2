// How near an engine that approximates comes to the kernel's own prior.
#pragma once

#include "ggpm/engine_report.hpp"
#include "ggpm/sites.hpp"
#include "gram/engine.hpp"

namespace ggpm::internal {

inline constexpr Index kMostCheckedRows = 20'000;  // of a check, or of a window

// None where the engine is exact, or where the finer one has no answer for these sites.
std::optional<EngineCheck> check_engine(const Engine& engine,
                                        const Kernel& kernel,
                                        const Posterior& posterior);

}  // namespace ggpm::internal
