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

bool only_rises(const Climb& from, const Climb& to, const LearningTask& task, Monitor& monitor) {
  constexpr int kPieces = 4;
  Objective objective(task);
  double before = from.best.objective;
  for (int k = 1; k < kPieces; ++k) {
    const double part = double(k) / kPieces;
    monitor.count(1);
    try {
      const Evaluation there = objective.evaluate(
          Vector((1 - part) * from.at + part * to.at), &from.best.inferred.posterior, false);
      if (!there.converged() || there.objective < before - kSameLogMarginal) return false;
      before = there.objective;
    } catch (const Error&) {
      return false;
    }
  }
  return before < to.best.objective + kSameLogMarginal;
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

std::vector<Climb> without_slopes(std::vector<Climb> climbs,
                                  const LearningTask& task,
                                  Monitor& monitor,
                                  int threads) {
  std::vector<Climb> out;
  for (Climb& c : climbs) {
    bool on_a_slope = false;
    const bool finished = monitor.run_one(threads, [&] {
      on_a_slope = std::any_of(out.begin(), out.end(), [&](const Climb& better) {
        return only_rises(c, better, task, monitor);
      });
    });
    if (!finished || !on_a_slope) out.push_back(std::move(c));
  }
  return out;
}

}  // namespace ggpm::internal
