// What is taken where the likelihood or the inference is left open. The faces agree on it:
// tests/python/test_command.py.
#include "ggpm/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ggpm/data.hpp"
#include "ggpm/roles.hpp"
#include "simulate.hpp"
#include "support/files.hpp"

namespace ggpm::internal {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::simulate;

// Only the likelihood is left open.
Specification open_likelihood(Specification specification = {}) {
  specification.likelihood = "auto";
  specification.inference = InferenceMethod::laplace;
  return specification;
}

Completion complete(Specification specification, const Dataset& data, Domain domain) {
  return complete_specification(
      std::move(specification), data, domain, {.restarts = 1, .threads = 1});
}

std::string inference_of(const Specification& specification, Index rows) {
  Dataset data;
  data.X = Matrix::Zero(rows, 1);
  const Completion done = complete(specification, data, Domain::real);
  return std::string(to_string(done.specification.inference.value()));
}

TEST(Choose, KeepsWhatIsGiven) {
  const Specification given{.likelihood = "poisson", .inference = InferenceMethod::kld};
  const Completion done = complete(given, {}, Domain::real);
  EXPECT_EQ(done.specification.likelihood, "poisson");
  EXPECT_EQ(done.specification.inference, InferenceMethod::kld);
  EXPECT_THAT(done.reasons, IsEmpty());
}

TEST(Choose, TakesTheSimplestWithinOneStandardError) {
  const Dataset data = simulate("poisson", 60, 1, 1);
  const Completion done = complete(open_likelihood(), data, Domain::count);
  EXPECT_EQ(done.specification.likelihood, "poisson");
  EXPECT_THAT(done.reasons,
              ElementsAre(testing::AllOf(HasSubstr("likelihood poisson, the "),
                                         HasSubstr("on 60 rows"),
                                         HasSubstr("negative-binomial/log"))));
}

// What people of the field expect, unless another is clearly better.
TEST(Choose, ReadsCountsAsRates) {
  const Dataset data = simulate("negative-binomial", 80, 1, 4);
  const Specification s = complete(open_likelihood(), data, Domain::count).specification;
  EXPECT_EQ(make_likelihood(s)->link(), "log") << s.likelihood;
}

TEST(Choose, TakesPositiveNumbersForRealOnesWhereTheyAre) {
  Dataset far = simulate("gaussian", 80, 1, 5);
  far.observed.y.array() += 20;  // as positive as temperatures in Kelvin
  const Completion done = complete(open_likelihood(), far, Domain::positive);
  EXPECT_THAT(done.reasons.front(), HasSubstr("gaussian"));
  const Dataset waiting = simulate("gamma-shape", 80, 1, 5);
  EXPECT_NE(complete(open_likelihood(), waiting, Domain::positive).specification.likelihood,
            "gaussian");
}

TEST(Choose, TakesAKernelByTheEvidence) {
  std::mt19937_64 random(1);
  Dataset rough{.X = Vector::LinSpaced(120, 0, 1)};  // a random walk
  rough.observed.y.resize(120);
  double level = 0;
  for (double& y : rough.observed.y) y = level += testing_support::uniform(random) - 0.5;
  Specification s{.inference = InferenceMethod::exact};
  s.kernel = "auto";
  const Completion done = complete(s, rough, Domain::real);
  EXPECT_EQ(done.specification.kernel, "matern32 + constant");
  EXPECT_THAT(done.reasons, ElementsAre(HasSubstr("kernel matern32 + constant, by the log marg")));
  const Dataset smooth = simulate("gaussian", 60, 1, 2);
  EXPECT_EQ(complete(s, smooth, Domain::real).specification.kernel, "rbf + constant");
}

// Where both are open, the kernel is chosen first: under one length-scale for unlike
// inputs the residuals have heavy tails, and "laplace" would be taken for them.
TEST(Choose, TakesKernelAndLikelihoodTogether) {
  std::mt19937_64 random(3);
  Dataset data{.X = Matrix(120, 2)};
  data.observed.y.resize(120);
  for (Index i = 0; i < 120; ++i) {
    for (Index j = 0; j < 2; ++j) data.X(i, j) = 4 * testing_support::uniform(random) - 2;
    data.observed.y[i] = 3 * std::sin(4 * data.X(i, 0)) + 0.2 * data.X(i, 1) +
                         0.2 * (testing_support::uniform(random) - 0.5);
  }
  const Completion done = complete({.likelihood = "auto", .kernel = "auto"}, data, Domain::real);
  EXPECT_THAT(done.specification.kernel, HasSubstr("(ard=true) + constant"));
  EXPECT_EQ(done.specification.likelihood, "gaussian");
  ASSERT_GE(done.reasons.size(), 2U);
  EXPECT_THAT(done.reasons[0], HasSubstr("kernel "));
  EXPECT_THAT(done.reasons[1], HasSubstr("likelihood gaussian"));
}

TEST(Choose, SeesOutliers) {
  Dataset data = simulate("gaussian", 60, 1, 2);
  EXPECT_EQ(complete(open_likelihood(), data, Domain::real).specification.likelihood, "gaussian");
  for (Index i = 0; i < data.size(); i += 10) data.observed.y[i] += i % 20 == 0 ? 90 : -60;
  EXPECT_EQ(complete(open_likelihood(), data, Domain::real).specification.likelihood, "student-t");
}

// By Laplace alone student-t was 372 below gaussian here: learned where two thirds of the rows had no cavity.
TEST(Choose, LooksForStudentTWhereLaplaceHasNoGaussian) {
  GGPM_REQUIRE_DATA("housing.csv");
  const Table table = read_csv(testing_support::data_file("housing.csv").string());
  const Dataset data = read_training(table, {.roles = {.target = "medv"}}).data;
  const Completion done =
      complete_specification(open_likelihood(), data, Domain::real, {.threads = 1});
  EXPECT_EQ(done.specification.likelihood, "student-t") << done.reasons.front();
}

// Who asks for it nevertheless is told. Two outputs of a place that contradict each other: the mode is at one of them, which
// without itself has the other alone, an outlier of negative precision.
TEST(Choose, SaysThatLaplaceHasBrokenDown) {
  Dataset data;
  data.X.resize(20, 1);
  data.observed.y.resize(20);
  for (Index i = 0; i < 20; ++i) {
    data.X(i, 0) = static_cast<double>(i / 2);
    data.observed.y[i] = i % 2 == 0 ? 0.0 : 6.0;
  }
  const auto warnings_by = [&](InferenceMethod method) {
    return GeneralizedGP::fit(
               data,
               {.likelihood = "student-t", .kernel = "rbf(1e4, 0.01)", .inference = method},
               {.optimize = false})
        .warnings();
  };
  EXPECT_THAT(
      warnings_by(InferenceMethod::laplace),
      Contains(Field(&Warning::text,
                     HasSubstr("laplace has broken down: without its own output, 10 of 20 rows"))));
  EXPECT_THAT(warnings_by(InferenceMethod::ep),
              Not(Contains(Field(&Warning::text, HasSubstr("broken down")))));
}

TEST(Choose, FindsTheOnlyLikelihoodWithoutAFit) {
  for (const auto& [domain, name] :
       {std::pair(Domain::binary, "bernoulli"), std::pair(Domain::proportion, "beta")})
    EXPECT_EQ(complete(open_likelihood(), {}, domain).specification.likelihood, name);
}

TEST(Choose, LooksAtLikelihoodsThatHaveTheLink) {
  EXPECT_EQ(complete(open_likelihood({.link = "log"}), {}, Domain::real).specification.likelihood,
            "gaussian");
  try {
    complete(open_likelihood({.link = "probit"}), {}, Domain::count);
    FAIL() << "no count has a probit";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("none of poisson, negative-binomial, zero-inflated-poisson, "
                          "zero-inflated-negative-binomial, hurdle-poisson, linear-poisson, "
                          "com-poisson has the link 'probit'"));
  }
}

TEST(Choose, InferenceDependsOnTheRows) {
  EXPECT_EQ(inference_of({.likelihood = "gaussian"}, 5000), "exact");
  EXPECT_EQ(inference_of({.likelihood = "gaussian", .link = "log"}, 1000), "ep");
  EXPECT_EQ(inference_of({.likelihood = "poisson"}, 1000), "ep");
  EXPECT_EQ(inference_of({.likelihood = "poisson"}, 1001), "laplace");
  EXPECT_EQ(inference_of({.likelihood = "com-poisson"}, 301), "laplace");
  EXPECT_EQ(inference_of({.likelihood = "laplace"}, 5000), "ep");
  EXPECT_EQ(inference_of({.likelihood = "laplace", .warp = "log"}, 10), "exact");
}

TEST(Choose, AWarpIsGaussian) {
  const Completion done = complete(open_likelihood({.warp = "log"}), {}, Domain::positive);
  EXPECT_EQ(done.specification.likelihood, "gaussian");
  EXPECT_EQ(done.specification.inference, InferenceMethod::exact);
}

TEST(Choose, IsDoneByAFitThatLeavesThingsOpen) {
  const Dataset data = simulate("poisson", 40, 1, 1);
  const FitOptions options{.restarts = 1, .threads = 1};
  const auto open = GeneralizedGP::fit(data, {.likelihood = "auto"}, options);
  EXPECT_EQ(open.likelihood().name(), "poisson");
  EXPECT_EQ(open.inference(), InferenceMethod::ep);
  EXPECT_EQ(open.specification().inference, InferenceMethod::ep);
  ASSERT_EQ(open.report().choices.size(), 3U);
  EXPECT_THAT(open.report().choices[0], HasSubstr("count"));
  const auto named = GeneralizedGP::fit(
      data, {.likelihood = "poisson", .inference = InferenceMethod::ep}, options);
  EXPECT_EQ(open.log_marginal(), named.log_marginal());
  EXPECT_THAT(named.report().choices, IsEmpty());
}

TEST(Choose, EndsWhenItIsInterrupted) {
  FitOptions options{.restarts = 1, .threads = 1};
  options.interrupted = [] { return true; };
  EXPECT_THROW(complete_specification(
                   open_likelihood(), simulate("poisson", 60, 1, 1), Domain::count, options),
               Interrupted);
}

}  // namespace
}  // namespace ggpm::internal
