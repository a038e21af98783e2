// Where learning begins: starts.cpp, the dispersions of dispersion_start.cpp, the likelihood of
// start_task.cpp.
#include "learn/starts.hpp"

#include <gtest/gtest.h>

#include <random>

#include "learn/dispersion_start.hpp"
#include "learn/start_task.hpp"
#include "learn/task.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::index_of;
using testing_support::make_task;
using testing_support::simulate;

double center(LearningTask task, std::string_view name) {
  const Index i = index_of(task, name);
  return Starts(task).default_point()[i];
}

TEST(Starts, FollowTheUnitsOfInputsAndOutputs) {
  Dataset data = simulate("gaussian", 40, 2, 3);
  const LearningTask before = make_task(data, "gaussian", "rbf + periodic");
  data.X *= 1000;
  data.observed.y *= 10;
  const LearningTask after = make_task(data, "gaussian", "rbf + periodic");
  const auto moved = [&](const char* name) { return center(after, name) - center(before, name); };
  EXPECT_CLOSE(moved("rbf.lengthscale"), std::log(1000.0), 1e-9);
  EXPECT_CLOSE(moved("periodic.period"), std::log(1000.0), 1e-9);
  EXPECT_CLOSE(moved("rbf.variance"), std::log(100.0), 1e-9);
  EXPECT_CLOSE(moved("dispersion"), std::log(100.0), 0.5);  // of a grid of dispersions
}

// ---- Default priors of hyperparameters that are integrated over

TEST(DefaultPriors, FollowTheUnitsOfInputsAndOutputs) {
  Dataset data = simulate("gaussian", 40, 2, 3);
  const auto prior_of = [&](const char* name) {
    LearningTask task = make_task(data, "gaussian", "rbf", "constant");
    Starts(task).add_priors(task.space);
    return task.space.prior(index_of(task, name));
  };
  const Prior scale = prior_of("rbf.lengthscale"), variance = prior_of("rbf.variance"),
              level = prior_of("mean.value");
  EXPECT_EQ(scale.kind, Prior::Kind::lognormal);
  EXPECT_EQ(level.kind, Prior::Kind::normal);
  // 95 % between a sixteenth and 16 times the distance of two rows, 1/30 and 30 times the scatter.
  EXPECT_NEAR(std::exp(1.96 * scale.b), 16, 2);
  EXPECT_NEAR(std::exp(1.96 * variance.b), 30, 3);
  data.X *= 1000;
  data.observed.y *= 10;
  EXPECT_CLOSE(prior_of("rbf.lengthscale").a - scale.a, std::log(1000.0), 1e-9);
  EXPECT_CLOSE(prior_of("rbf.variance").a - variance.a, std::log(100.0), 1e-9);
  EXPECT_CLOSE(prior_of("mean.value").a, 10 * level.a, 1e-9);
  EXPECT_CLOSE(prior_of("mean.value").b, 10 * level.b, 1e-9);
}

TEST(DefaultPriors, GiveWayToThoseOfTheUser) {
  LearningTask task = make_task(simulate("gaussian", 20, 1, 3), "gaussian", "rbf");
  const Index scale = index_of(task, "rbf.lengthscale"), variance = index_of(task, "rbf.variance"),
              noise = index_of(task, "dispersion");
  const Prior given{Prior::Kind::gamma, 2, 1};
  task.space.set_prior(scale, given);
  task.space.hold(variance);
  Starts(task).add_priors(task.space);
  EXPECT_EQ(task.space.prior(scale), given);
  EXPECT_EQ(task.space.prior(variance).kind, Prior::Kind::none) << "held";
  EXPECT_EQ(task.space.prior(noise).kind, Prior::Kind::lognormal);
}

TEST(Starts, ALengthScaleOfAConstantInputIsHeldAndNoted) {
  Dataset data = simulate("gaussian", 30, 3, 3);
  data.X.col(1).setConstant(5);
  LearningTask task = make_task(data, "gaussian", "rbf(ard=true)");
  const Starts starts(task);
  ASSERT_EQ(starts.notes().size(), 1U);
  EXPECT_EQ(starts.notes()[0].kind, Warning::Kind::constant_input);
  EXPECT_TRUE(task.space[index_of(task, "rbf.lengthscale[2]")].fixed);
  EXPECT_FALSE(task.space[index_of(task, "rbf.lengthscale[1]")].fixed);
  EXPECT_FALSE(task.space[index_of(task, "rbf.lengthscale[3]")].fixed);
}

// Six levels of which one, the third, was never seen.
Dataset six_levels(Index n) {
  const auto likelihood = make_likelihood(
      "ordinal",
      "",
      {.parameters = {
           {"cut[1]", -2}, {"cut[2]", -1}, {"cut[3]", -0.9}, {"cut[4]", 0.5}, {"cut[5]", 2}}});
  std::mt19937_64 random(11);
  Dataset data{.X = Vector::LinSpaced(n, -3, 3), .observed = {.y = Vector(n)}};
  for (Index i = 0; i < n; ++i) {
    double& y = data.observed.y[i];
    y = likelihood->sample({}, 2 * std::sin(1.5 * data.X(i, 0)), random);
    if (y == 3) y = 2;
  }
  return data;
}

TEST(Starts, HaveCutPointsInOrder) {
  const Dataset data = six_levels(60);
  LearningTask task = make_task(data, "ordinal", "rbf");
  const std::shared_ptr<Likelihood> likelihood = make_likelihood("ordinal");
  likelihood->adapt_to(data.observed.rows());
  task.parts.likelihood = likelihood;
  task.space = ParameterSpace(task.parts, {}, {});
  const Starts starts(task);
  const Index first = index_of(task, "cut[1]");
  for (int k = 0; k < 200; ++k) {
    const Vector point = starts.random_point(5, k);
    for (Index i = first + 1; i < point.size(); ++i) ASSERT_LT(point[i - 1], point[i]) << k;
    ASSERT_NO_THROW(with_values(task.parts, task.space.hyperparameters(point)));
  }
}

TEST(Ordinal, LearnsItsCutPoints) {
  FitOptions options;
  options.restarts = 3;
  options.threads = 1;
  const GeneralizedGP model = GeneralizedGP::fit(
      six_levels(400),
      {.likelihood = "ordinal", .kernel = "rbf", .inference = InferenceMethod::ep},
      options);
  const Vector cuts = model.hyperparameters().dispersion;
  ASSERT_EQ(cuts.size(), 5);
  // The level of the latent function is not known, and moves them all. A distance has a standard
  // error of about its size over the root of the rows in it, 0.15; a climb that stops where cut[2]
  // and cut[3] meet ends with 0.9 and 1.0 for the last two.
  EXPECT_NEAR(cuts[1] - cuts[0], 1.1, 0.4);  // levels 2 and 3 are one
  EXPECT_LT(cuts[2] - cuts[1], 0.02);
  EXPECT_NEAR(cuts[3] - cuts[2], 1.4, 0.4);
  EXPECT_NEAR(cuts[4] - cuts[3], 1.5, 0.4);
}

// At the first row the linear factor is 0, so that K there does not change with the length-scale.
TEST(Starts, ALengthScaleIsLearnedAlsoWhereTheFirstRowCannotTellIt) {
  Dataset data = simulate("gaussian", 30, 2, 3);
  data.X(0, 0) = 0;
  LearningTask task = make_task(data, "gaussian", "linear(columns=[1]) * rbf(columns=[2])");
  const Starts starts(task);
  EXPECT_FALSE(task.space[index_of(task, "rbf.lengthscale")].fixed);
}

TEST(Starts, RandomPointsStayWithinTheBoundsAndLeaveTheHeldAlone) {
  LearningTask task = make_task(
      simulate("poisson", 30, 2, 3), "poisson", "rbf(1 in [0.5, 2], [fixed(0.7), 1])", "constant");
  const Starts starts(task);
  const Vector given = task.space.values();
  double lowest = 1e300, highest = -1e300;
  for (int k = 0; k < 200; ++k) {
    const Vector point = starts.random_point(4, k);
    EXPECT_EQ(point, task.space.clamped(point));
    EXPECT_EQ(point[1], given[1]);
    lowest = std::min(lowest, point[2]);
    highest = std::max(highest, point[2]);
  }
  EXPECT_GT(highest - lowest, std::log(20.0)) << "length-scales of every size are tried";
}

TEST(DispersionStart, OfAGaussianIsAPartOfTheVariance) {
  const auto likelihood = make_likelihood("gaussian");
  std::vector<Row> rows;
  for (int i = 0; i < 100; ++i) rows.push_back({.y = 3 + 2 * std::sin(i)});  // variance 2
  const DispersionStart::Range range = DispersionStart(*likelihood, rows).range(1);
  // The grid has steps of e^0.5.
  EXPECT_NEAR(std::log(range.center), std::log(0.2), 0.26);
  EXPECT_NEAR(std::log(range.low), std::log(0.006), 0.27);
  EXPECT_NEAR(std::log(range.high), std::log(2.0), 0.27);
}

TEST(DispersionStart, IsTheGivenOneWhereNoDispersionHasSuchAVariance) {
  const auto likelihood = make_likelihood("negative-binomial");
  const std::vector<Row> rows(20, Row{.y = 4});  // no variance at all
  const DispersionStart::Range range = DispersionStart(*likelihood, rows).range(0.7);
  EXPECT_EQ(range.center, 0.7);
  EXPECT_EQ(range.low, 0.7 / 10);
  EXPECT_EQ(range.high, 0.7 * 10);
}

TEST(DispersionStart, CountsThatRoundingHidesBoundTheirDispersion) {
  const std::vector<Row> rows(20, Row{.y = 4}), small(20, Row{.y = 0});
  const auto com_poisson = make_likelihood("com-poisson"), gaussian = make_likelihood("gaussian");
  EXPECT_DOUBLE_EQ(DispersionStart(*com_poisson, rows).largest(1), 48);
  EXPECT_DOUBLE_EQ(DispersionStart(*com_poisson, small).largest(1), 12);
  EXPECT_TRUE(std::isinf(DispersionStart(*gaussian, {{.y = 1}, {.y = 4}}).largest(1)));
}

TEST(DispersionStart, OutputsThatAreAllEqualAskForNoScatter) {
  const std::vector<Row> zeros(20, Row{.y = 0});
  EXPECT_DOUBLE_EQ(DispersionStart(*make_likelihood("tweedie"), zeros).largest(0.7), 0.7);
  std::vector<Row> from_five(20, Row{.y = 5});
  from_five[3].upper = 900;  // which is not known to equal the others
  EXPECT_TRUE(std::isinf(DispersionStart(*make_likelihood("gaussian"), from_five).largest(1)));
}

TEST(StartTask, IsTaylorExactOrTheGaussianInItsPlace) {
  const auto method = [](const char* name) {
    const LearningTask task = make_task(simulate(name, 20, 1, 3), name, "rbf");
    return std::pair(start_task(task, {}).inference.method, starts_as_gaussian(task));
  };
  EXPECT_EQ(method("poisson"), std::pair(InferenceMethod::taylor, false));
  EXPECT_EQ(method("gaussian"), std::pair(InferenceMethod::exact, false));
  EXPECT_EQ(method("laplace"), std::pair(InferenceMethod::exact, true));
}

TEST(StartTask, TheGaussianInItsPlaceHasTheSameVarianceBoundsAndHeldParameters) {
  LearningTask task = make_task(simulate("laplace", 20, 1, 3), "laplace", "rbf(fixed(2), 1)");
  const Index phi = index_of(task, "dispersion");
  task.space.set_bounds(phi, 0.5, 3);
  const LearningTask start = start_task(task, {});
  EXPECT_TRUE(start.parts.likelihood->is_exact_regression());
  EXPECT_CLOSE(
      start.parts.likelihood->variance({}, 0), task.parts.likelihood->variance({}, 0), 1e-14);
  EXPECT_CLOSE(start.space[phi].lower, 2 * 0.25, 1e-14);
  EXPECT_CLOSE(start.space[phi].upper, 2 * 9.0, 1e-14);
  EXPECT_TRUE(start.space[0].fixed);
  EXPECT_FALSE(start.space[phi].fixed);

  Vector learned = task.space.values();
  learned[phi] = std::log(0.8);
  const Vector there = to_start(task, learned);
  EXPECT_CLOSE(std::exp(there[phi]), 2 * 0.64, 1e-14);
  EXPECT_CLOSE(from_start(task, there), learned, 1e-15);
}

TEST(StartTask, TakesSomeOfTheRows) {
  const LearningTask task = make_task(simulate("poisson", 20, 1, 3), "poisson", "rbf");
  const std::vector<Index> rows = {1, 4, 19};
  const LearningTask start = start_task(task, rows);
  EXPECT_EQ(start.data->size(), 3);
  EXPECT_EQ(start.data->X, task.data->X(rows, Eigen::all));
  EXPECT_EQ(start.space.values(), task.space.values());
}

}  // namespace
}  // namespace ggpm::internal
