#include "learn/distinct.hpp"

#include <algorithm>
#include <cmath>

namespace ggpm::internal {
namespace {

double distance(const ParameterSpace& space, const Vector& a, const Vector& b) {
  double largest = 0;
  for (const Index i : space.free()) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Half way between two ends it is no lower than at the lower one: no valley is between them.
bool on_one_hill(const Climb& a, const Climb& b, const LearningTask& task) {
  Objective objective(task);
  try {
    const Evaluation middle =
        objective.evaluate(Vector((a.at + b.at) / 2), &a.best.inferred.posterior, false);
    return middle.objective > std::min(a.best.objective, b.best.objective) - kSameLogMarginal;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void sort_best_first(std::vector<Climb>& climbs) {
  std::erase_if(climbs, [](const Climb& c) { return !c.usable; });
  std::stable_sort(climbs.begin(), climbs.end(), [](const Climb& a, const Climb& b) {
    return a.best.objective > b.best.objective;
  });
}

std::vector<Vector> distant_points(std::vector<Climb> climbs,
                                   const ParameterSpace& space,
                                   std::size_t count) {
  sort_best_first(climbs);
  std::vector<Vector> out;
  for (const Climb& c : climbs) {
    if (out.size() == count) break;
    if (std::none_of(out.begin(), out.end(), [&](const Vector& known) {
          return distance(space, known, c.at) < kSameStart;
        }))
      out.push_back(c.at);
  }
  return out;
}

std::vector<Climb> distinct_optima(std::vector<Climb> climbs,
                                   const LearningTask& task,
                                   double tolerance,
                                   Monitor& monitor,
                                   int threads) {
  const double within = std::max(kSameLogMarginal, 2 * tolerance);
  const auto same = [&](const Climb& a, const Climb& b) {
    if (distance(task.space, a.at, b.at) < kSameCoordinates) return true;
    if (std::abs(a.best.objective - b.best.objective) > within) return false;
    bool one = false;  // where the fit is interrupted, an evaluation between them takes too long
    if (!monitor.stopped()) monitor.count(1);
    monitor.run_one(threads, [&] { one = on_one_hill(a, b, task); });
    return one;
  };
  sort_best_first(climbs);
  std::vector<Climb> out;
  for (Climb& c : climbs)
    if (std::none_of(out.begin(), out.end(), [&](const Climb& known) { return same(known, c); }))
      out.push_back(std::move(c));
  return out;
}

}  // namespace ggpm::internal
