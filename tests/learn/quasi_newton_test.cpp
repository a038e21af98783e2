#include <gtest/gtest.h>

#include "learn/learn.hpp"
#include "learn/parallel.hpp"
#include "learn/task.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::make_task;
using testing_support::simulate;

Climb from(const Vector& at) {
  Climb out;
  out.at = at;
  return out;
}

// The other climber finds nothing better from where this one ends.
TEST(ClimbFrom, EndsAtAnOptimum) {
  for (const char* likelihood : {"poisson", "gamma-shape", "bernoulli"}) {
    const LearningTask task =
        make_task(simulate(likelihood, 80, 2, 3), likelihood, "rbf(ard=true) + constant");
    Objective objective(task);
    const Climb here = climb_from(objective, from(task.space.values()), {});
    const Climb there = climb(objective, here.at, {});
    EXPECT_TRUE(here.converged) << likelihood;
    EXPECT_LT(there.best.objective - here.best.objective, 1e-3) << likelihood;
  }
}

TEST(ClimbFrom, NeedsFewEvaluationsWithTheCurvatureOfFewerRows) {
  const Dataset all = simulate("poisson", 400, 2, 5);
  std::vector<Index> half;
  for (Index i = 0; i < all.size(); i += 2) half.push_back(i);
  const LearningTask few = make_task(all.subset(half), "poisson", "rbf");
  const LearningTask task = make_task(all, "poisson", "rbf");
  Objective of_few(few), objective(task);
  Climb start = climb_from(of_few, from(few.space.values()), {.tolerance = 0.05});
  start.curvature *= 2;
  const Climb aided = climb_from(objective, start, {});
  const Climb unaided = climb(objective, start.at, {});
  EXPECT_TRUE(aided.converged);
  EXPECT_LT(climb(objective, aided.at, {}).best.objective - aided.best.objective, 1e-3);
  EXPECT_LT(aided.evaluations, unaided.evaluations);
  EXPECT_LE(aided.evaluations, 10);
}

// Minus the second derivatives: differences of gradients that are none of ours.
TEST(WithCurvature, IsThatOfTheObjective) {
  const LearningTask task = make_task(simulate("poisson", 120, 2, 5), "poisson", "rbf(ard=true)");
  Objective objective(task);
  objective.options().tolerance = 1e-9;
  const Climb end = climb(objective, task.space.values(), {});
  int evaluations = 0;
  const Climb curved =
      with_curvature(objective, end, {.on_evaluation = [&](double) { ++evaluations; }});
  EXPECT_EQ(evaluations, std::ssize(task.space.free()));
  const double h = 1e-3;
  Matrix expected(end.at.size(), end.at.size());
  for (Index k = 0; k < end.at.size(); ++k) {
    Vector up = end.at, down = end.at;
    up[k] += h;
    down[k] -= h;
    expected.col(k) =
        (objective.evaluate(down).gradient - objective.evaluate(up).gradient) / (2 * h);
  }
  EXPECT_LT((curved.curvature - expected).norm(), 0.05 * expected.norm());
}

TEST(ClimbFrom, StaysInsideOfBoundsAndStepsBackFromFailures) {
  LearningTask task = make_task(simulate("gaussian", 40, 1, 1),
                                "gaussian",
                                "rbf(variance=1 in [0.9, 1.1])",
                                "zero",
                                InferenceMethod::exact);
  task.space.set_bounds(1, 1e-3, 1e3);
  Objective objective(task);
  Climb end = climb_from(objective, from(task.space.values()), {});
  const double variance = task.space.to_value(0, end.at[0]);
  EXPECT_GE(variance, 0.9 - 1e-9);
  EXPECT_LE(variance, 1.1 + 1e-9);

  task.space.set_bounds(0, 1e-6, 1e6);  // wider than what the kernel accepts
  Objective wider(task);
  end = climb_from(wider, from(task.space.values()), {});
  EXPECT_TRUE(end.usable);
  EXPECT_GT(end.failures, 0);
  EXPECT_GT(end.best.log_marginal, wider.evaluate(task.space.values()).log_marginal + 0.1);
}

TEST(ClimbFrom, EvaluatesNothingOnceItIsStopped) {
  const LearningTask task = make_task(simulate("poisson", 60, 2, 1), "poisson", "rbf");
  for (const int stop : {1, 2, 4}) {
    Objective objective(task);
    int seen = 0;
    ClimbOptions options;
    options.on_evaluation = [&](double) {
      if (++seen >= stop) throw StopRun{};
    };
    const Climb climbed = climb_from(objective, from(task.space.values()), options);
    EXPECT_TRUE(climbed.stopped);
    EXPECT_EQ(climbed.evaluations, stop);
  }
}

}  // namespace
}  // namespace ggpm::internal
