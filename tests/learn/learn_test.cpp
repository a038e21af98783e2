#include "learn/learn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "ggpm/summary.hpp"
#include "learn/parallel.hpp"
#include "learn/starts.hpp"
#include "learn/task.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::make_task;
using testing_support::simulate;

FitOptions quick(int threads = 1) {
  FitOptions options;
  options.restarts = 8;
  options.threads = threads;
  return options;
}

TEST(Learning, SameSeedAndThreadsGiveTheSameBits) {
  const Dataset data = simulate("poisson", 60, 2, 1);
  const Specification specification{
      .likelihood = "poisson", .kernel = "rbf(ard=true)", .inference = InferenceMethod::laplace};
  std::string first[2];
  for (const int threads : {1, 2}) {
    const auto fit = [&] {
      return to_bytes({GeneralizedGP::fit(data, specification, quick(threads))});
    };
    first[threads - 1] = fit();
    EXPECT_EQ(first[threads - 1], fit()) << threads << " threads";
  }
  const Vector one = from_bytes(first[0]).model.predictive({data.X}).mean();
  EXPECT_CLOSE(from_bytes(first[1]).model.predictive({data.X}).mean(), one, 1e-8);
}

TEST(Learning, TakesFewStepsOnAllOfManyRowsAndMissesNextToNothing) {
  const Dataset data = simulate("poisson", 900, 2, 4);
  Specification specification{.likelihood = "poisson",
                              .kernel = "rbf(ard=true) + constant",
                              .inference = InferenceMethod::laplace};
  const auto model = GeneralizedGP::fit(data, specification, quick());
  EXPECT_TRUE(model.report().converged);
  EXPECT_LE(model.optima().front().evaluations, 12);
  // From there the other climber, which is let go on for long, gains nothing to speak of.
  FitOptions longer = quick();
  longer.restarts = 0;
  longer.tolerance = 1e-7;
  specification.kernel = model.kernel().text();
  const auto end = GeneralizedGP::fit(data, specification, longer);
  EXPECT_GE(end.log_marginal(), model.log_marginal() - 1e-6);
  EXPECT_LT(end.log_marginal() - model.log_marginal(), 0.02);
}

// Counts along a line, so many that a part of them decides, and the log density of the rates that they were drawn from.
struct ManyCounts {
  static constexpr Index kRows = 46'000;
  Dataset data;
  double truth = 0;
  ManyCounts() {
    data.X.resize(kRows, 1);
    data.observed.y.resize(kRows);
    std::mt19937_64 random(5);
    for (Index i = 0; i < kRows; ++i) {
      const double x = 100 * (static_cast<double>(i) + 0.5) / kRows;
      const double rate = std::exp(0.5 + 0.8 * std::sin(x) + 0.3 * std::sin(3.1 * x));
      const int y = std::poisson_distribution<int>(rate)(random);
      data.X(i, 0) = x;
      data.observed.y[i] = y;
      truth += y * std::log(rate) - rate - std::lgamma(y + 1.0);
    }
  }
  GeneralizedGP fit_fast(FitOptions options) const {
    options.restarts = 1;
    return GeneralizedGP::fit(data,
                              {.likelihood = "poisson",
                               .kernel = "matern32 + constant",
                               .inference = InferenceMethod::laplace,
                               .engine = {.accuracy = EngineAccuracy::fast}},
                              options);
  }
};

// Of fast accuracy: what a fifth of the rows tell of the hyperparameters is next to what all do.
TEST(Learning, TakesHyperparametersOfManyRowsFromAPartOfThem) {
  const ManyCounts counts;
  const auto model = counts.fit_fast(quick());
  EXPECT_GE(model.report().learned_rows, 10'000);
  EXPECT_LT(model.report().learned_rows, ManyCounts::kRows / 4);
  EXPECT_TRUE(model.report().converged);
  EXPECT_EQ(model.optima().size(), 1U);
  EXPECT_EQ(model.optima().front().log_marginal, model.log_marginal());
  EXPECT_NEAR(model.loo().total, counts.truth, 0.005 * ManyCounts::kRows);
  EXPECT_NE(summary_text({model}, {}).find("hyperparameters are those of"), std::string::npos);
}

// What a part foretells of all rows is where their posterior begins, and no posterior.
TEST(Learning, HasNoModelWhenThePosteriorOfAllRowsIsInterrupted) {
  FitOptions options = quick();
  bool last_stage = false;
  options.on_progress = [&](const FitProgress& p) { last_stage |= p.stage == "posterior"; };
  options.interrupted = [&] { return last_stage; };
  EXPECT_THROW((void)ManyCounts().fit_fast(options), Interrupted);
  EXPECT_TRUE(last_stage);
}

// With four inputs an evaluation of normal accuracy takes four times as long as a fast one: learning
// begins with such, of all rows too, and ends at an optimum of what was asked for.
TEST(Learning, BeginsWithAnEngineThatIsQuickAndEndsWithTheOneThatWasAskedFor) {
  constexpr Index kRows = 1200;
  const Dataset data = simulate("poisson", kRows, 4, 7);
  const auto learned = [&](EngineAccuracy accuracy, std::set<std::string>& stages) {
    FitOptions options = quick();
    options.restarts = 2;
    options.on_progress = [&](const FitProgress& p) { stages.emplace(p.stage); };
    return GeneralizedGP::fit(data,
                              {.likelihood = "poisson",
                               .kernel = "rbf + constant",
                               .inference = InferenceMethod::laplace,
                               .engine = {.name = "tree", .accuracy = accuracy}},
                              options);
  };
  std::set<std::string> stages, stages_of_fast;
  const auto model = learned(EngineAccuracy::normal, stages);
  const auto fast = learned(EngineAccuracy::fast, stages_of_fast);
  EXPECT_TRUE(stages.contains("laplace on 1200 rows"));
  EXPECT_FALSE(stages_of_fast.contains("laplace on 1200 rows"));
  EXPECT_EQ(model.engine().accuracy, EngineAccuracy::normal);
  EXPECT_EQ(model.engine().inducing, 400);
  EXPECT_EQ(fast.engine().inducing, 200);
  EXPECT_TRUE(model.report().converged);
  for (const double slope : model.gradient().kernel) EXPECT_LT(std::abs(slope), 1);
}

TEST(Learning, AnotherSeedTakesOtherStarts) {
  LearningTask task = make_task(simulate("gaussian", 20, 1, 1), "gaussian", "rbf");
  const Starts starts(task);
  EXPECT_EQ(starts.random_point(1, 3), starts.random_point(1, 3));
  EXPECT_NE(starts.random_point(1, 3), starts.random_point(2, 3));
  EXPECT_NE(starts.random_point(1, 3), starts.random_point(1, 4));
}

TEST(Learning, KeepsTheNumberOfBlasThreads) {
  const int before = default_threads();
  GeneralizedGP::fit(simulate("gaussian", 20, 1, 1), {}, quick(2));
  EXPECT_EQ(default_threads(), before);
}

TEST(Learning, HoldsWhatIsFixed) {
  const Dataset data = simulate("gamma-shape", 40, 1, 3);
  FitOptions options = quick();
  options.fixed = {"dispersion"};
  const auto model = GeneralizedGP::fit(data,
                                        {.likelihood = "gamma-shape",
                                         .likelihood_options = {.dispersion = 0.3},
                                         .kernel = "rbf(variance=fixed(1.7))"},
                                        options);
  EXPECT_EQ(model.hyperparameters().dispersion[0], 0.3);
  EXPECT_EQ(model.hyperparameters().kernel[0], 1.7);
  EXPECT_NE(model.hyperparameters().kernel[1], 1);
}

TEST(Learning, GradientVanishesAtTheOptimum) {
  for (const char* likelihood : {"poisson", "beta", "student-t"}) {
    const auto model =
        GeneralizedGP::fit(simulate(likelihood, 50, 1, 2), {.likelihood = likelihood}, quick());
    const Vector gradient = model.gradient().flat();
    const auto parameters = model.parameters();
    for (Index i = 0; i < gradient.size(); ++i) {
      const auto& p = parameters[static_cast<std::size_t>(i)];
      if (p.at_lower || p.at_upper) continue;
      EXPECT_LT(std::abs(gradient[i]), 0.05) << likelihood << " " << p.parameter.name;
    }
  }
}

TEST(Learning, FindsNoLessThanFromTheGivenValues) {
  for (const char* likelihood :
       {"gaussian", "negative-binomial", "bernoulli", "inverse-gaussian"}) {
    const Dataset data = simulate(likelihood, 50, 2, 5);
    const Specification specification{
        .likelihood = likelihood, .kernel = "rbf(ard=true)", .inference = InferenceMethod::laplace};
    FitOptions from_given = quick();
    from_given.restarts = 0;
    EXPECT_GT(GeneralizedGP::fit(data, specification, quick()).log_marginal(),
              GeneralizedGP::fit(data, specification, from_given).log_marginal() - 1e-3)
        << likelihood;
  }
}

TEST(Learning, StartsTheLaplaceLikelihoodFromItsGaussianTwin) {
  const Dataset data = simulate("laplace", 40, 1, 4);
  const auto model = GeneralizedGP::fit(
      data, {.likelihood = "laplace", .inference = InferenceMethod::ep}, quick());
  EXPECT_TRUE(model.report().converged);
  EXPECT_GT(model.hyperparameters().dispersion[0], 0.1);
  for (const Optimum& optimum : model.optima()) EXPECT_EQ(optimum.method, InferenceMethod::ep);
}

TEST(Learning, KeepsAllOptimaBestFirst) {
  const auto model = GeneralizedGP::fit(simulate("gamma-shape", 40, 3, 1),
                                        {.likelihood = "gamma-shape",
                                         .kernel = "rbf(ard=true)",
                                         .inference = InferenceMethod::laplace},
                                        quick());
  ASSERT_FALSE(model.optima().empty());
  EXPECT_EQ(model.optima()[0].method, InferenceMethod::laplace);
  EXPECT_CLOSE(model.optima()[0].log_marginal, model.log_marginal(), 1e-6);
  for (std::size_t i = 1; i < model.optima().size(); ++i)
    if (model.optima()[i].method == InferenceMethod::laplace) {
      EXPECT_LE(model.optima()[i].log_marginal, model.optima()[i - 1].log_marginal);
    }
}

TEST(Learning, PriorsPullTheParameter) {
  const Dataset data = simulate("gaussian", 30, 1, 6);
  FitOptions options = quick();
  options.priors["dispersion"] = {Prior::Kind::lognormal, std::log(5.0), 0.05};
  const auto model =
      GeneralizedGP::fit(data, {.kernel = "rbf(lengthscale=1 ~ lognormal(0, 0.01))"}, options);
  EXPECT_NEAR(model.hyperparameters().dispersion[0], 5, 0.7);
  EXPECT_NEAR(model.hyperparameters().kernel[1], 1, 0.05);
  // The log marginal that is reported is that of the data alone.
  EXPECT_CLOSE(model.log_marginal_at(model.hyperparameters()), model.log_marginal(), 1e-9);
}

TEST(Learning, ReportsABoundThatIsReached) {
  const auto model =
      GeneralizedGP::fit(simulate("poisson", 60, 1, 2),
                         {.likelihood = "poisson", .kernel = "rbf(variance=0.01 in [0.001, 0.02])"},
                         quick());
  EXPECT_TRUE(model.parameters()[0].at_upper);
  ASSERT_FALSE(model.warnings().empty());
  EXPECT_EQ(model.warnings()[0].kind, Warning::Kind::at_bound);
  EXPECT_EQ(model.warnings()[0].parameter, "rbf.variance");
  EXPECT_EQ(model.warnings()[0].text, "rbf.variance ended at its upper bound 0.02");
}

TEST(Learning, SaysThatInferenceDidNotConverge) {
  FitOptions options;
  options.optimize = false;
  options.inference_iterations = 1;
  const auto model = GeneralizedGP::fit(simulate("poisson", 30, 1, 2),
                                        {.likelihood = "poisson", .inference = InferenceMethod::ep},
                                        options);
  EXPECT_FALSE(model.report().converged);
  EXPECT_FALSE(model.report().detail.empty());
  ASSERT_FALSE(model.warnings().empty());
  EXPECT_EQ(model.warnings()[0].kind, Warning::Kind::inference);
  EXPECT_EQ(model.warnings()[0].text, model.report().detail);
}

TEST(Learning, ReportsProgressOnTheCallersThread) {
  const auto caller = std::this_thread::get_id();
  FitOptions options = quick(2);
  int calls = 0, last = 0;
  options.on_progress = [&](const FitProgress& progress) {
    EXPECT_TRUE(std::this_thread::get_id() == caller);
    EXPECT_GE(progress.evaluation, last);
    EXPECT_LE(progress.restart, progress.restarts);
    last = progress.evaluation;
    ++calls;
  };
  GeneralizedGP::fit(simulate("poisson", 40, 1, 2), {.likelihood = "poisson"}, options);
  EXPECT_GE(calls, 3);  // at least one a stage
}

TEST(Learning, ReturnsTheBestSoFarWhenInterrupted) {
  FitOptions options = quick(2);
  bool second_stage = false;
  options.on_progress = [&](const FitProgress& p) { second_stage |= p.stage == "taylor optima"; };
  options.interrupted = [&] { return second_stage; };
  const auto model = GeneralizedGP::fit(
      simulate("poisson", 60, 3, 2), {.likelihood = "poisson", .kernel = "rbf(ard=true)"}, options);
  EXPECT_TRUE(model.report().interrupted);
  EXPECT_NE(model.report().detail.find("interrupted"), std::string::npos);

  options.interrupted = [] { return true; };
  options.on_progress = {};
  options.restarts = 2000;
  EXPECT_THROW(GeneralizedGP::fit(simulate("poisson", 200, 3, 2),
                                  {.likelihood = "poisson", .kernel = "rbf(ard=true)"},
                                  options),
               Interrupted);
}

TEST(Learning, PassesOnWhatACallbackThrows) {
  FitOptions options = quick(2);
  options.on_progress = [](const FitProgress&) { throw std::logic_error("enough"); };
  EXPECT_THROW(GeneralizedGP::fit(simulate("gaussian", 30, 1, 2), {}, options), std::logic_error);
}

TEST(Learning, RefusesMoreMemoryThanAllowed) {
  FitOptions options;
  options.memory_limit = std::uint64_t{1} << 20U;
  EXPECT_THROW(GeneralizedGP::fit(simulate("gaussian", 30, 1, 2), {}, options), DataError);
}

// Values outside of the kernel's own bounds cannot be evaluated: each such step is shortened.
TEST(Climb, StepsBackFromAFailedEvaluation) {
  const Dataset data = simulate("gaussian", 40, 1, 1);
  LearningTask task =
      make_task(data, "gaussian", "rbf(variance=1 in [0.9, 1.1])", "zero", InferenceMethod::exact);
  task.space.set_bounds(0, 1e-6, 1e6);  // wider than what the kernel accepts
  task.space.set_bounds(1, 1e-3, 1e3);
  for (const Climber climber : {Climber::slsqp, Climber::lbfgs}) {
    Objective objective(task);
    const Climb result =
        climb(objective, task.space.values(), {.climber = climber, .first_step = 4});
    EXPECT_TRUE(result.usable);
    EXPECT_GT(result.failures, 0);
    EXPECT_GT(result.best.log_marginal, objective.evaluate(task.space.values()).log_marginal + 0.1);
  }
}

TEST(Climb, EvaluatesNothingOnceItIsStopped) {
  const Dataset data = simulate("poisson", 60, 2, 1);
  const LearningTask task = make_task(data, "poisson", "rbf");
  for (const int stop : {1, 2, 3, 5}) {
    Objective objective(task);
    int seen = 0;
    ClimbOptions options;
    options.on_evaluation = [&](double) {
      if (++seen >= stop) throw StopRun{};
    };
    const Climb climbed = climb(objective, task.space.values(), options);
    EXPECT_TRUE(climbed.stopped);
    EXPECT_EQ(climbed.evaluations, stop);
  }
}

TEST(StandardErrors, AreThoseOfTheCurvature) {
  // One parameter: the mean of Gaussian data with known variances.
  const Index n = 25;
  Dataset data;
  data.X = Vector::LinSpaced(n, 0, 1);
  data.observed.y.resize(n);
  for (Index i = 0; i < n; ++i) data.observed.y[i] = std::sin(10.0 * static_cast<double>(i));
  FitOptions options = quick();
  options.fixed = {"dispersion"};
  const auto model = GeneralizedGP::fit(data,
                                        {.likelihood_options = {.dispersion = 0.5},
                                         .kernel = "fixed(rbf(1e-12, 1))",
                                         .mean = "constant"},
                                        options);
  const double expected = std::sqrt(0.5 / static_cast<double>(n));
  EXPECT_CLOSE(model.compute_standard_errors(1).mean[0], expected, 1e-6);
  // The log marginal is a parabola: the profile interval is 1.96 standard errors to both sides.
  const Interval interval = model.compute_profile_interval("mean.value");
  const double center = model.hyperparameters().mean[0];
  EXPECT_NEAR(interval.lower, center - 1.96 * expected, 0.02);
  EXPECT_NEAR(interval.upper, center + 1.96 * expected, 0.02);
  EXPECT_FALSE(interval.lower_open || interval.upper_open);
}

}  // namespace
}  // namespace ggpm::internal
