#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ggpm/model.hpp"
#include "ggpm/trust.hpp"
#include "model/simulate.hpp"
#include "trust/fitted.hpp"
#include "trust/verdict.hpp"

namespace ggpm {
namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::StartsWith;

double largest(const Vector& errors) { return errors.cwiseAbs().maxCoeff(); }

TEST(Diagnose, FindsNoFaultInExactInference) {
  const Diagnosis d =
      diagnose(fitted(simulate("gaussian", 30, 1, 1), "gaussian", InferenceMethod::exact));
  ASSERT_EQ(d.methods.size(), 1U);
  const MethodError& own = d.methods.front();
  EXPECT_EQ(d.trust, Trust::good) << d.verdict;
  EXPECT_NEAR(own.log_marginal_error, 0, 1e-6);
  EXPECT_LT(largest(own.mean_error), 0.1);
  EXPECT_LT(largest(own.sd_ratio.array() - 1), 0.06);
  EXPECT_LT(own.mean.largest, 0.05);
  EXPECT_LT(own.interval.largest, 0.01);
  EXPECT_LT(own.log_density.largest, 0.02);
  EXPECT_EQ(own.pareto_k, 0);
  EXPECT_THAT(d.verdict, HasSubstr("more than sampling can see"));
  EXPECT_THAT(d.verdict, HasSubstr("the log marginal is right"));
}

// Counts of 0 and 1 under a wide prior: skewed posteriors, which the mode misses.
TEST(Diagnose, SeesThatLaplaceMissesSkewedPosteriorsAndEpDoesNot) {
  Dataset data = simulate("poisson", 30, 1, 3);
  data.observed.y = data.observed.y.cwiseMin(1.0);
  const Diagnosis d = diagnose(fitted(data, "poisson", InferenceMethod::laplace), {.all = true});
  ASSERT_EQ(d.methods.size(), 4U) << "exact needs Gaussian outputs";
  EXPECT_EQ(d.methods[0].method, InferenceMethod::laplace);
  EXPECT_THAT(d.verdict, StartsWith("Laplace puts the latent mean up to"));
  EXPECT_THAT(d.verdict, HasSubstr("removes this"));
  for (const MethodError& m : d.methods) {
    if (m.method == InferenceMethod::ep) {
      EXPECT_LT(largest(m.mean_error), 0.5 * largest(d.methods[0].mean_error));
      EXPECT_LT(std::abs(m.log_marginal_error), 0.05 + 4 * d.marginal.standard_error);
    }
    if (m.method == InferenceMethod::kld) {
      EXPECT_LT(m.log_marginal_error, 4 * d.marginal.standard_error) << "a lower bound";
    }
  }
}

// Taylor has no expansion point under a logarithm for an output below 0.
TEST(Diagnose, LeavesAMethodOutThatHasNoAnswerForTheseOutputs) {
  Dataset data = simulate("gaussian", 20, 1, 3);
  data.observed.y = data.observed.y.cwiseAbs();
  data.observed.y[4] = -0.1;
  const GeneralizedGP model = GeneralizedGP::fit(data,
                                                 {.likelihood = "gaussian",
                                                  .link = "log",
                                                  .kernel = "rbf",
                                                  .inference = InferenceMethod::laplace},
                                                 {.optimize = false});
  const Diagnosis d = diagnose(model, {.sampling = {.draws = 200}, .all = true});
  for (const MethodError& m : d.methods) EXPECT_NE(m.method, InferenceMethod::taylor);
  EXPECT_GE(d.methods.size(), 3U);
}

TEST(Diagnose, KeepsToItsTimeAndSaysThatItWasTooShort) {
  double forecast = -1;
  DiagnosisOptions options{.seconds = 1e-3};
  options.on_forecast = [&](double seconds) { forecast = seconds; };
  const Diagnosis d =
      diagnose(fitted(simulate("poisson", 20, 1, 2), "poisson", InferenceMethod::laplace), options);
  EXPECT_GT(forecast, 0);
  EXPECT_EQ(d.truth.draws.cols(), 400);
  EXPECT_EQ(d.marginal.runs, 20);
  EXPECT_FALSE(d.truth.detail.empty());
}

TEST(Diagnose, EndsWhenItIsInterrupted) {
  DiagnosisOptions options;
  options.annealing.interrupted = [] { return true; };
  EXPECT_THROW(
      diagnose(fitted(simulate("poisson", 10, 1, 2), "poisson", InferenceMethod::ep), options),
      Interrupted);
}

// ---- The sentence

Diagnosis made_up() {
  Diagnosis d;
  d.truth.chains = 4;
  d.truth.sd = d.truth.r_hat = Vector::Ones(5);
  d.truth.mean_error = Vector::Constant(5, 0.02);
  d.truth.bulk_ess = d.truth.tail_ess = Vector::Constant(5, 2500);
  d.marginal.standard_error = 0.03;
  MethodError laplace, ep;
  laplace.method = InferenceMethod::laplace;
  laplace.log_marginal_error = -0.42;
  laplace.mean_error = Vector{{-0.31, -0.25, 0.1, -0.2, 0.1}};
  laplace.interval.largest = 0.008;
  ep.method = InferenceMethod::ep;
  ep.mean_error = Vector::Constant(5, 0.02);
  d.methods = {laplace, ep};
  return d;
}

TEST(Verdict, NamesTheRowsOfOneOutputAndTheMethodThatIsBetter) {
  EXPECT_EQ(
      internal::verdict_of(made_up(), Vector{{0, 0, 3, 0, 7}}),
      "Laplace puts the latent mean up to 0.31 ± 0.02 sd too low in the 3 rows with output 0; "
      "EP removes this (0.02 sd); the probability of a predictive 95 % interval is off by at "
      "most 0.8 %; the log marginal is 0.42 ± 0.03 too low.");
  EXPECT_THAT(internal::verdict_of(made_up(), Vector{{0, 2, 3, 0, 7}}),
              HasSubstr("too low (3 rows are off by half of that or more)"));
}

TEST(Verdict, IsOfWhatUsersRead) {
  Diagnosis d = made_up();
  EXPECT_EQ(internal::trust_of(d), Trust::good);
  d.methods[0].interval = {.largest = 0.03, .error = 0.001};
  EXPECT_EQ(internal::trust_of(d), Trust::fair);
  d.methods[0].mean = {.largest = 0.5, .error = 0.01};
  EXPECT_EQ(internal::trust_of(d), Trust::poor);
  d.truth.r_hat[3] = 1.2;
  d.truth.detail = "sampling: the chains do not agree yet";
  EXPECT_EQ(internal::trust_of(d), Trust::unknown);
  EXPECT_EQ(internal::verdict_of(d, Vector::Zero(5)),
            "Nothing can be said of Laplace: sampling: the chains do not agree yet");
}

}  // namespace
}  // namespace ggpm
