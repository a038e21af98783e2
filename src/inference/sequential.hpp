// EP or KLD one site at a time, for data on which updating all sites together oscillates.
#pragma once

#include "inference/iterate.hpp"

namespace ggpm::internal {

enum class Sequential { converged, stopped, not_offered };

// Each site sees the marginals that the sites before it have left, kept up by the engine's updates.
// `point` has been evaluated; on return it is the best one, evaluated last. An engine may offer no
// such updates: then nothing was done.
Sequential run_sequential(const Problem& problem,
                          SiteIteration& iteration,
                          SitePoint& point,
                          Report& report);

// What Report::fallbacks says of them.
inline constexpr const char* kSequential = "sequential sweeps";
inline constexpr const char* kNoSequential = "no sequential sweeps: the engine has none";

}  // namespace ggpm::internal
