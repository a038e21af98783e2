// Evaluations of one task by several workers.
#pragma once

#include <functional>

#include "learn/objective.hpp"
#include "learn/parallel.hpp"

namespace ggpm::internal {

// body(objective, i) for i = 0 ... count-1, as many at a time as the engine lets `threads` (0: the
// default) do. What one run has allocated, the next one uses again.
void run_objectives(Monitor& monitor,
                    const LearningTask& task,
                    int count,
                    int threads,
                    const std::function<void(Objective&, int)>& body);

}  // namespace ggpm::internal
