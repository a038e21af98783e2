#pragma once

#include "gram/engine.hpp"

namespace ggpm::internal {

// K of an engine, n x n: for whoever can afford it. Without the jitter of a posterior.
Matrix explicit_prior(const Engine& engine, const Kernel& kernel);

}  // namespace ggpm::internal
