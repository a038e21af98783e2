#include <gtest/gtest.h>

#include <random>

#include "gram/engine.hpp"
#include "inference/bound.hpp"
#include "inference/double_loop.hpp"
#include "inference/problems.hpp"
#include "inference/start.hpp"
#include "support/brute_likelihood.hpp"
#include "support/close.hpp"
#include "support/gram_of.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

// The log integral of prod_i p(y_i | eta_i) N(eta | 0, K) for two latents on a grid that is
// whitened by the prior; also the posterior mean of the first.
struct Brute {
  double log_marginal = 0, mean = 0, variance = 0;
};
Brute brute_force(const Likelihood& likelihood, const std::vector<Row>& rows, const Matrix& K) {
  const bool pair = rows.size() == 2;
  // A kink costs the trapezoidal rule its accuracy.
  const int N = pair ? 1600 : likelihood.differentiable() ? 20000 : 400000;
  const double range = 9, h = 2 * range / N;
  const double l11 = std::sqrt(K(0, 0)), l21 = pair ? K(1, 0) / l11 : 0;
  const double l22 = pair ? std::sqrt(K(1, 1) - l21 * l21) : 0;
  std::vector<LogDensity> one(1);
  const auto value = [&](std::size_t i, double eta) {
    likelihood.log_density({&rows[i], 1}, {&eta, 1}, Derivatives::value, one);
    return one[0].value;
  };
  const double shift = 40;  // keeps exp() in range
  double s0 = 0, s1 = 0, s2 = 0;
  for (int i = 0; i <= N; ++i) {
    const double z1 = -range + h * i, eta1 = l11 * z1;
    const double outer = value(0, eta1) - 0.5 * z1 * z1;
    if (outer < -600) continue;
    double inner = 1;
    if (pair) {
      inner = 0;
      for (int j = 0; j <= N; ++j) {
        const double z2 = -range + h * j;
        const double g = outer + value(1, l21 * z1 + l22 * z2) - 0.5 * z2 * z2;
        if (g > -600) inner += h * std::exp(g - outer + shift);
      }
      inner *= std::exp(-shift) / std::sqrt(2 * M_PI);
    }
    const double p = h * std::exp(outer + shift) * inner / std::sqrt(2 * M_PI);
    s0 += p, s1 += p * eta1, s2 += p * eta1 * eta1;
  }
  const double mean = s1 / s0;
  return {std::log(s0) - shift, mean, s2 / s0 - mean * mean};
}

class OneLatent : public testing::TestWithParam<Combination> {};

TEST_P(OneLatent, EpIsExactAndKldIsBelow) {
  const auto likelihood = make_likelihood(GetParam().likelihood, GetParam().link);
  std::mt19937_64 random(5);
  for (const double variance : {0.1, 1.0, 4.0}) {
    const std::vector<Row> rows{draw(*likelihood, 0.5, random)};
    const Matrix X = Matrix::Zero(1, 1);
    const Kernel kernel = Kernel::parse("constant").bind(1).with_values(std::vector{variance});
    const Brute truth = brute_force(*likelihood, rows, Matrix::Constant(1, 1, variance));
    Inference inference(X, Observations::of(rows));
    const Inferred ep =
        inference.evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::ep});
    EXPECT_NEAR(ep.log_marginal, truth.log_marginal, 1e-8) << "y " << rows[0].y;
    EXPECT_NEAR(ep.posterior.mean[0], truth.mean, 1e-8);
    EXPECT_NEAR(ep.posterior.variance[0], truth.variance, 1e-8);
    const Inferred kld =
        inference.evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::kld});
    EXPECT_LE(kld.log_marginal, truth.log_marginal + 1e-9);
    EXPECT_GT(kld.log_marginal, truth.log_marginal - 1.0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, OneLatent, testing::ValuesIn(combinations()), [](const auto& test) {
  return identifier(test.param);
});

TEST(Kld, NeverExceedsTheTrueLogMarginalOfTwoLatents) {
  const BrutePoisson poisson;
  const BruteStudentT student(0.3);
  Matrix K(2, 2);
  K << 2, 1.5, 1.5, 1.8;
  for (const Likelihood* likelihood :
       {static_cast<const Likelihood*>(&poisson), static_cast<const Likelihood*>(&student)}) {
    for (const double y : {0.0, 1.0, 4.0}) {
      const std::vector<Row> rows{{.y = y}, {.y = 2}};
      const GramOf gram(K);
      const Vector prior_mean = Vector::Zero(2);
      const InferenceOptions options;
      const Solution kld = solve_kld({*gram, *likelihood, rows, prior_mean, options});
      const Brute truth = brute_force(*likelihood, rows, K);
      EXPECT_LE(kld.log_marginal, truth.log_marginal + 1e-9);
      EXPECT_GT(kld.log_marginal, truth.log_marginal - 0.5);
    }
  }
}

TEST(Kld, BoundNeverFalls) {
  for (const char* name : {"poisson", "bernoulli", "student-t", "gamma-scale", "laplace"}) {
    const auto likelihood = make_likelihood(name);
    const SmallProblem p = small_problem(*likelihood, 30, 6);
    const Kernel kernel = Kernel::parse("rbf(variance=30)").bind(2);
    // Each limit of sweeps gives the accepted point up to there.
    double last = -1e300;
    for (int limit = 1; limit < 25; ++limit) {
      const Inferred q = Inference(p.X, Observations::of(p.rows))
                             .evaluate(kernel,
                                       Mean(),
                                       *likelihood,
                                       {.method = InferenceMethod::kld, .max_iterations = limit});
      EXPECT_GE(q.log_marginal, last - 1e-9 * std::abs(last)) << name << " after " << limit;
      last = q.log_marginal;
      if (q.report.outcome == Outcome::converged) break;
    }
  }
}

TEST(Kld, ConvergesWhereUnitStepsCycle) {
  // All ones under a wide prior: errata 8.
  Matrix X(12, 1);
  for (Index i = 0; i < 12; ++i) X(i, 0) = -2 + 4.0 * double(i) / 11;
  const auto likelihood = make_likelihood("bernoulli", "probit");
  const Inferred q = Inference(X, {.y = Vector::Constant(12, 1)})
                         .evaluate(Kernel::parse("rbf(variance=16, lengthscale=1)").bind(1),
                                   Mean(),
                                   *likelihood,
                                   {.method = InferenceMethod::kld, .tolerance = 1e-10});
  EXPECT_EQ(q.report.outcome, Outcome::converged);
  EXPECT_LE(q.report.residual, 1e-10);
  EXPECT_LE(q.report.iterations, 40);
}

TEST(EpAndKld, MeansNearlyCoincide) {
  for (const char* name : {"poisson", "gamma-shape", "beta", "negative-binomial"}) {
    const auto likelihood = make_likelihood(name);
    const SmallProblem p = small_problem(*likelihood, 60, 7);
    const Kernel kernel = Kernel::parse("rbf(lengthscale=1.2)").bind(2);
    Inference inference(p.X, Observations::of(p.rows));
    const Vector ep =
        inference.evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::ep})
            .posterior.mean;
    const Vector kld =
        inference.evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::kld})
            .posterior.mean;
    const Vector laplace =
        inference.evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::laplace})
            .posterior.mean;
    EXPECT_LT((ep - kld).norm(), 0.3 * (ep - laplace).norm()) << name;
  }
}

TEST(Ep, SolvesItsEquations) {
  for (const char* name :
       {"poisson", "bernoulli", "student-t", "gamma-scale", "inverse-gaussian"}) {
    const auto likelihood = make_likelihood(name);
    const SmallProblem p = small_problem(*likelihood, 50, 8);
    const Inferred q =
        Inference(p.X, Observations::of(p.rows))
            .evaluate(
                Kernel::parse("rbf").bind(2), Mean(), *likelihood, {.method = InferenceMethod::ep});
    EXPECT_LT(q.report.residual, 1e-9) << name;
    std::vector<Tilted> tilted(50);
    likelihood->tilted(p.rows,
                       {q.posterior.cavity_mean.data(), 50},
                       {q.posterior.cavity_variance.data(), 50},
                       tilted,
                       Dphi::skip);
    for (Index i = 0; i < 50; ++i) {
      EXPECT_NEAR(tilted[std::size_t(i)].mean, q.posterior.mean[i], 1e-8) << name;
      EXPECT_NEAR(tilted[std::size_t(i)].variance, q.posterior.variance[i], 1e-8) << name;
    }
  }
}

TEST(Ep, DoubleLoopReachesTheFixedPointOfTheSweeps) {
  for (const char* name : {"poisson", "bernoulli", "student-t"}) {
    const auto likelihood = make_likelihood(name);
    const SmallProblem p = small_problem(*likelihood, 12, 9);
    const Inferred swept =
        Inference(p.X, Observations::of(p.rows))
            .evaluate(
                Kernel::parse("rbf").bind(2), Mean(), *likelihood, {.method = InferenceMethod::ep});
    const Kernel kernel = Kernel::parse("rbf").bind(2);
    const auto engine = make_engine({}, std::make_shared<const Matrix>(p.X), kernel);
    const auto gram = engine->make_gram();
    gram->build(kernel);
    const Vector prior_mean = Vector::Zero(12);
    const InferenceOptions options{.method = InferenceMethod::ep, .tolerance = 1e-7};
    const Problem problem{*gram, *likelihood, p.rows, prior_mean, options};
    const auto rule = make_ep_rule();
    SiteIteration iteration(problem, *rule);
    SitePoint point;
    point.sites = {Vector::Constant(12, 0.1), Vector::Zero(12)};
    ASSERT_TRUE(iteration.evaluate(point));
    Report report;
    EXPECT_TRUE(run_double_loop(problem, iteration, point, report)) << name;
    EXPECT_CLOSE(point.q.mean, swept.posterior.mean, 1e-6) << name << report.iterations;
    EXPECT_CLOSE(point.log_marginal, swept.log_marginal, 1e-8);
  }
}

}  // namespace
}  // namespace ggpm::internal
