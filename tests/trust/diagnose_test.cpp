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
  DiagnosisOptions options{.all = true, .seconds = 1e-3};
  options.on_forecast = [&](double seconds) { forecast = seconds; };
  const Diagnosis d =
      diagnose(fitted(simulate("poisson", 20, 1, 2), "poisson", InferenceMethod::laplace), options);
  EXPECT_GT(forecast, 0);
  EXPECT_EQ(d.truth.draws.cols(), 400);
  EXPECT_EQ(d.marginal.runs, 20);
  EXPECT_THAT(d.truth.detail, HasSubstr("time for 100 of 1000 draws"));
  EXPECT_TRUE(d.cut_short);
}

TEST(Diagnose, RefusesATimeThatIsNoneOrFarTooShortForItsRows) {
  const GeneralizedGP model =
      fitted(simulate("poisson", 5, 1, 2), "poisson", InferenceMethod::laplace);
  EXPECT_THROW(diagnose(model, {.seconds = -1}), UsageError);
  EXPECT_THROW(diagnose(model, {.seconds = std::nan("")}), UsageError);
  const GeneralizedGP large = GeneralizedGP::fit(simulate("poisson", 20'000, 1, 2),
                                                 {.likelihood = "poisson",
                                                  .kernel = kKernel,
                                                  .inference = InferenceMethod::laplace,
                                                  .engine = {.name = "tree"}},
                                                 {.optimize = false});
  try {
    diagnose(large, {.seconds = 1e-3});
    FAIL() << "an n^3 of 20,000 rows";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("20000 rows take about"));
  }
}

TEST(Diagnose, TakesAModelOfOneRow) {
  for (const char* likelihood : {"gaussian", "poisson", "bernoulli", "student-t"}) {
    const Dataset one{.X = Matrix::Zero(1, 1), .observed = {.y = Vector::Ones(1)}};
    const Diagnosis d = diagnose(fitted(one, likelihood, InferenceMethod::ep), {.all = true});
    EXPECT_TRUE(d.truth.converged()) << likelihood;
    EXPECT_THAT(d.verdict, StartsWith("EP puts ")) << likelihood;
    EXPECT_EQ(d.verdict.find("nan"), std::string::npos) << d.verdict;
  }
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
  laplace.sd_ratio = Vector::Constant(5, 0.95);
  laplace.mean = {.largest = 0.02, .error = 0.01};
  laplace.interval = {.largest = 0.008, .error = 0.001};
  ep.method = InferenceMethod::ep;
  ep.mean_error = Vector::Constant(5, 0.02);
  d.methods = {laplace, ep};
  return d;
}

TEST(Verdict, NamesTheRowsOfOneOutputAndTheMethodThatIsBetter) {
  EXPECT_EQ(
      internal::verdict_of(made_up(), Vector{{0, 0, 3, 0, 7}}),
      "Laplace puts the latent mean up to 0.31 ± 0.02 sd too low in the 3 rows with output 0; "
      "EP removes this (0.02 sd); predictive means are right within 0.04 sd, the probability of "
      "95 % intervals is off by up to 0.8 ± 0.1 %; the log marginal is 0.42 ± 0.03 too low.");
  EXPECT_THAT(internal::verdict_of(made_up(), Vector{{0, 0, 0, 0, 7}}),
              HasSubstr("too low in 3 of the 4 rows with output 0;"));
  EXPECT_THAT(internal::verdict_of(made_up(), Vector{{0, 2, 3, 0, 7}}),
              HasSubstr("too low (3 of 5 rows are off by half of that or more)"));
}

TEST(Verdict, ClaimsNoMoreThanSamplingSees) {
  Diagnosis d = made_up();
  const Vector y = Vector{{0, 0, 3, 0, 7}};
  d.methods[1].mean_error.setConstant(0.12);
  EXPECT_THAT(internal::verdict_of(d, y), HasSubstr("; EP is nearer (0.12 sd);"));
  d.methods[0].interval.error = 0.003;
  EXPECT_THAT(internal::verdict_of(d, y), HasSubstr("95 % intervals is right within 1 %;"));
  d.methods[0].interval = {};  // both of two classes
  EXPECT_EQ(internal::verdict_of(d, y).find("intervals"), std::string::npos);
  d.methods[0].log_marginal_error = -0.05;
  EXPECT_THAT(internal::verdict_of(d, y), HasSubstr("the log marginal is right within 0.06."));
  d.marginal.pareto_k = 0.9;
  EXPECT_THAT(internal::verdict_of(d, y), HasSubstr("log marginal cannot be judged"));
  d.cut_short = true;
  EXPECT_THAT(internal::verdict_of(d, y), HasSubstr("; there was no time for all other methods."));
}

TEST(Verdict, NamesALatentSdThatIsFarOff) {
  Diagnosis d = made_up();
  d.methods[0].sd_ratio[2] = 0.5;
  EXPECT_THAT(internal::verdict_of(d, Vector::Zero(5)),
              HasSubstr("; the latent sd is 0.50 times what it should be at row 3;"));
  d.truth.tail_ess.setConstant(10);
  EXPECT_EQ(internal::verdict_of(d, Vector::Zero(5)).find("latent sd"), std::string::npos);
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
            "Nothing can be said of Laplace: the chains do not agree yet.");
}

}  // namespace
}  // namespace ggpm
