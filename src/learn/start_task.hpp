// The likelihood that random starts are climbed with: the model's own under Taylor, or where Taylor
// does not exist (laplace) the Gaussian of the same variance under exact inference.
#pragma once

#include "learn/objective.hpp"

namespace ggpm::internal {

// The task for starts, on the given rows of the data (all if empty).
LearningTask start_task(const LearningTask& task, const std::vector<Index>& rows);

// Learned coordinates of one task as those of the other.
Vector to_start(const LearningTask& task, const Vector& learned);
Vector from_start(const LearningTask& task, const Vector& learned);

bool starts_as_gaussian(const LearningTask& task);  // the start task has another likelihood

}  // namespace ggpm::internal
