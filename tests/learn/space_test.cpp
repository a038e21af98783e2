#include "learn/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/task.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing::HasSubstr;
using testing_support::make_task;
using testing_support::simulate;

// rbf.variance, rbf.lengthscale, mean.weights[1], mean.intercept, dispersion
LearningTask task() {
  return make_task(simulate("gaussian", 10, 1, 1),
                   "gaussian",
                   "rbf(2, 0.3 ~ gamma(2, 1))",
                   "linear(weights=-0.5 ~ normal(0, 1))");
}

TEST(ParameterSpace, LearnsLogarithmsOfWhatIsPositive) {
  const LearningTask t = task();
  const Vector learned = t.space.values();
  ASSERT_EQ(learned.size(), 5);
  EXPECT_CLOSE(learned[0], std::log(2.0), 1e-15);
  EXPECT_CLOSE(learned[1], std::log(0.3), 1e-15);
  EXPECT_EQ(learned[2], -0.5);
  EXPECT_EQ(learned[4], std::log(t.space[4].value));
}

TEST(ParameterSpace, ValuesAndCoordinatesTurnIntoEachOther) {
  const LearningTask t = task();
  Vector learned(5);
  learned << 0.7, -1.3, 2.5, -3, 0.1;
  const Hyperparameters at = t.space.hyperparameters(learned);
  EXPECT_EQ(at.kernel.size(), 2);
  EXPECT_EQ(at.mean.size(), 2);
  EXPECT_EQ(at.dispersion.size(), 1);
  EXPECT_CLOSE(at.kernel[0], std::exp(0.7), 1e-15);
  EXPECT_EQ(at.mean[0], 2.5);
  EXPECT_CLOSE(t.space.learned(at), learned, 1e-15);
}

// exp(log(x)) need not be x.
TEST(ParameterSpace, WhatWasGivenKeepsItsBits) {
  const LearningTask t = task();
  const Hyperparameters at = t.space.hyperparameters(t.space.values());
  EXPECT_EQ(at.kernel[1], 0.3);
  EXPECT_EQ(at.kernel[0], 2.0);
}

// At either end of what a kernel takes: exp(log(1e100)) is above 1e100.
TEST(ParameterSpace, NoCoordinateIsBeyondWhatAKernelTakes) {
  const LearningTask t = task();
  Vector learned = t.space.values();
  for (const double end : {1e-100, 1e100}) {
    learned[1] = std::log(end);
    const double value = t.space.hyperparameters(learned).kernel[1];
    EXPECT_GE(value, 1e-100);
    EXPECT_LE(value, 1e100);
    EXPECT_CLOSE(value / end, 1, 1e-13);
  }
}

TEST(ParameterSpace, BoundsAreWidenedToTheValueAndClampOnlyWhatIsFree) {
  LearningTask t = task();
  t.space.set_bounds(0, 3, 10);  // the value is 2
  EXPECT_EQ(t.space[0].lower, 2);
  EXPECT_EQ(t.space[0].upper, 10);
  Vector learned = t.space.values();
  learned[0] = 100;
  EXPECT_CLOSE(t.space.clamped(learned)[0], std::log(10.0), 1e-15);
  t.space.hold(0);
  EXPECT_EQ(t.space.clamped(learned)[0], 100);
  EXPECT_EQ(t.space.free(), (std::vector<Index>{1, 2, 3, 4}));
}

TEST(ParameterSpace, GradientOfThePriorsIsTheirDifference) {
  const LearningTask t = task();
  Vector learned(5);
  learned << 0.7, -1.3, 2.5, -3, 0.1;
  Vector gradient = Vector::Zero(5);
  t.space.add_prior_gradient(learned, gradient);
  for (Index i = 0; i < 5; ++i) {
    const double h = 1e-5;
    Vector up = learned, down = learned;
    up[i] += h;
    down[i] -= h;
    EXPECT_CLOSE(gradient[i], (t.space.log_prior(up) - t.space.log_prior(down)) / (2 * h), 1e-8)
        << t.space[i].name;
  }
  EXPECT_NE(gradient[1], 0);
  EXPECT_NE(gradient[2], 0);
  EXPECT_EQ(gradient[0], 0);
}

TEST(ParameterSpace, AnUnknownNameListsThoseThereAre) {
  const LearningTask t = task();
  EXPECT_EQ(t.space.find("mean.intercept"), 3);
  try {
    t.space.find("rbf.varience");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no parameter 'rbf.varience'"));
    EXPECT_THAT(error.what(), HasSubstr("rbf.variance, rbf.lengthscale, mean.weights[1]"));
  }
}

TEST(ParameterSpace, RefusesVectorsOfAnotherSize) {
  const LearningTask t = task();
  EXPECT_THROW(t.space.split(Vector::Zero(4)), UsageError);
  EXPECT_THROW(t.space.hyperparameters(Vector::Zero(6)), UsageError);
  Hyperparameters at = t.space.hyperparameters(t.space.values());
  at.dispersion[0] = -1;
  EXPECT_THROW(with_values(t.parts, at), UsageError);
}

}  // namespace
}  // namespace ggpm::internal
