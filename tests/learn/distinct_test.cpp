#include "learn/distinct.hpp"

#include <gtest/gtest.h>

#include "learn/learn.hpp"
#include "learn/task.hpp"
#include "model/simulate.hpp"

namespace ggpm::internal {
namespace {

using testing_support::make_task;
using testing_support::simulate;

Climb end_at(const LearningTask& task, const Vector& at) {
  Climb out;
  out.at = at;
  Objective objective(task);
  out.best = objective.evaluate(at);
  out.usable = true;
  return out;
}

class Distinct : public testing::Test {
 protected:
  std::size_t count(const std::vector<Climb>& climbs, double tolerance) {
    const FitOptions options;
    Monitor monitor(options);
    return distinct_optima(climbs, task_, tolerance, monitor, 1).size();
  }
  std::size_t slopeless(const std::vector<Climb>& climbs) {
    const FitOptions options;
    Monitor monitor(options);
    return without_slopes(climbs, task_, monitor, 1).size();
  }

  LearningTask task_ = make_task(simulate("poisson", 80, 1, 3), "poisson", "rbf");
};

TEST_F(Distinct, EndsOfRoughClimbsOnOneHillAreOneOptimum) {
  Objective objective(task_);
  const Climb top = climb(objective, task_.space.values(), {});
  Vector before = top.at, behind = top.at;
  before[0] -= 0.3;
  behind[0] += 0.15;
  const std::vector<Climb> ends = {end_at(task_, before), end_at(task_, behind)};
  const double apart = std::abs(ends[0].best.objective - ends[1].best.objective);
  ASSERT_GT(apart, kSameLogMarginal);
  EXPECT_EQ(count(ends, 0), 2U);      // known to all digits, they differ
  EXPECT_EQ(count(ends, apart), 1U);  // known roughly, they do not
}

TEST_F(Distinct, AValleyBetweenMakesTwo) {
  Objective objective(task_);
  const Climb top = climb(objective, task_.space.values(), {});
  // Two that claim to be higher than what lies half way between them.
  std::vector<Climb> ends = {end_at(task_, top.at), end_at(task_, top.at)};
  ends[0].at[1] -= 3;
  ends[1].at[1] += 3;
  for (Climb& end : ends) end.best.objective = top.best.objective + 1;
  EXPECT_EQ(count(ends, 100), 2U);
}

// However much lower it is: a rough climb that ended early lies on the slope of the optimum.
TEST_F(Distinct, AnEndOnTheSlopeOfABetterOneIsLeftOut) {
  Objective objective(task_);
  const Climb top = climb(objective, task_.space.values(), {});
  Vector below = top.at;
  below[0] -= 1;
  const std::vector<Climb> ends = {end_at(task_, top.at), end_at(task_, below)};
  ASSERT_GT(ends[0].best.objective - ends[1].best.objective, 0.2);
  EXPECT_EQ(slopeless(ends), 1U);
}

TEST_F(Distinct, AnEndBehindAValleyIsNotOnASlope) {
  Objective objective(task_);
  const Climb top = climb(objective, task_.space.values(), {});
  Vector here = top.at, there = top.at;
  here[1] += 3;
  there[1] -= 3;
  // The one claims to be a top: the way to the other goes down at first.
  std::vector<Climb> ends = {end_at(task_, top.at), end_at(task_, here)};
  ends[0].at = there;
  ends[1].best.objective = top.best.objective - 0.1;
  ASSERT_LT(objective.evaluate(Vector((3 * here + there) / 4)).objective,
            ends[1].best.objective - kSameLogMarginal);
  EXPECT_EQ(slopeless(ends), 2U);
}

TEST_F(Distinct, ComeBestFirstWithoutThoseThatFailed) {
  Vector low = task_.space.values(), high = low;
  Objective objective(task_);
  high = climb(objective, high, {}).at;
  low[0] -= 5;
  Climb failed;
  failed.at = low;
  std::vector<Climb> ends = {failed, end_at(task_, low), end_at(task_, high)};
  sort_best_first(ends);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].at, high);
  EXPECT_EQ(distant_points(ends, task_.space, 1).size(), 1U);
  EXPECT_EQ(distant_points({ends[0], ends[0]}, task_.space, 5).size(), 1U);
}

}  // namespace
}  // namespace ggpm::internal
