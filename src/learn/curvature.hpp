// How sharply the objective falls around a point.
#pragma once

#include "learn/objective.hpp"

namespace ggpm::internal {

// Minus the Hessian of the objective in the learned coordinates `free`, by central differences of its
// gradient. `warm` is the posterior at the point.
Matrix curvature(const LearningTask& task,
                 const Vector& at,
                 const std::vector<Index>& free,
                 const Posterior& warm,
                 int threads);

}  // namespace ggpm::internal
