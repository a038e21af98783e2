// Which ends of climbs are different optima.
#pragma once

#include <vector>

#include "learn/optimize.hpp"
#include "learn/parallel.hpp"

namespace ggpm::internal {

// Two ends of climbs are one optimum if no learned coordinate differs by more than this, or if they
// differ by less than kSameLogMarginal and no valley deeper than that lies half way between them
// (irrelevant inputs make long flat ridges).
inline constexpr double kSameCoordinates = 0.2;
inline constexpr double kSameLogMarginal = 0.01;
// Points of the first stage, still on their way, are one if they are this near.
inline constexpr double kSameStart = 0.5;

// Without those that could not be evaluated.
void sort_best_first(std::vector<Climb>& climbs);

// The best points, `count` of them at most, that are not near each other.
std::vector<Vector> distant_points(std::vector<Climb> climbs,
                                   const ParameterSpace& space,
                                   std::size_t count);

// The optima of a task, best first, no two of them the same. `tolerance` is that of their climbs: two
// that ended roughly at one optimum differ by as much. One evaluation for each two that may be one.
std::vector<Climb> distinct_optima(std::vector<Climb> climbs,
                                   const LearningTask& task,
                                   double tolerance,
                                   Monitor& monitor,
                                   int threads);

// Without those from which the straight way to a better one only rises, as far as three points on it can
// tell: they lie on its slope. For ends on a part of the rows, best first.
std::vector<Climb> without_slopes(std::vector<Climb> climbs,
                                  const LearningTask& task,
                                  Monitor& monitor,
                                  int threads);

}  // namespace ggpm::internal
