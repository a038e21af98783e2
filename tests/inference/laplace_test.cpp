#include <gtest/gtest.h>

#include <random>

#include "inference/newton.hpp"
#include "inference/problems.hpp"
#include "support/close.hpp"
#include "support/gram_of.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

TEST(Laplace, ConvergesFromColdForCountsUpTo1e9) {
  const auto likelihood = make_likelihood("poisson");
  for (const double variance : {1.0, 25.0}) {
    for (double size = 10; size < 2e9; size *= 10) {
      std::mt19937_64 random(3);
      std::uniform_real_distribution<double> uniform;
      Matrix X(50, 1);
      std::vector<Row> rows(50);
      for (Index i = 0; i < 50; ++i) {
        X(i, 0) = 4 * uniform(random);
        rows[std::size_t(i)].y = std::floor(size * uniform(random) * uniform(random));
      }
      rows[0].y = 0;
      const Kernel kernel =
          Kernel::parse("rbf(lengthscale=0.7)").bind(1).with_values(std::vector{variance, 0.7});
      const Inferred q =
          Inference(X, Observations::of(rows))
              .evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::laplace});
      EXPECT_EQ(q.report.outcome, Outcome::converged) << size << " " << q.report.detail;
      EXPECT_LE(q.report.iterations, 50) << size;
      // At the mode the slope of the likelihood is alpha.
      std::vector<LogDensity> l(50);
      likelihood->log_density(rows, {q.posterior.mean.data(), 50}, Derivatives::second, l);
      for (Index i = 0; i < 50; ++i)
        EXPECT_NEAR(
            (l[std::size_t(i)].d1 - q.posterior.alpha[i]) * std::sqrt(q.posterior.variance[i]),
            0,
            1e-6)
            << size;
    }
  }
}

// Newton from the prior mean alone, where the first full step overflows exp().
TEST(Laplace, LineSearchClimbsFromThePriorMean) {
  const auto likelihood = make_likelihood("poisson");
  for (double size = 10; size < 2e9; size *= 10) {
    Matrix K(20, 20);
    for (Index i = 0; i < 20; ++i)
      for (Index j = 0; j < 20; ++j) K(i, j) = 25 * std::exp(-0.05 * double((i - j) * (i - j)));
    std::vector<Row> rows(20);
    for (std::size_t i = 0; i < 20; ++i) rows[i].y = std::floor(size * double(i % 5) / 4);
    const GramOf gram(K);
    const Vector prior_mean = Vector::Zero(20);
    const InferenceOptions options;
    const Problem problem{*gram, *likelihood, rows, prior_mean, options};
    NewtonSearch search(problem);
    ModePoint point = search.at_prior_mean();
    double last = point.psi;
    EXPECT_TRUE(search.climb(point, 1e-9, 60)) << size << " residual " << search.residual();
    EXPECT_GE(point.psi, last);
    EXPECT_LE(search.steps(), 50) << size;
  }
}

TEST(Laplace, KeepsNegativeCurvatureAtTheMode) {
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 0.2});
  SmallProblem p = small_problem(*make_likelihood("gaussian", "", {.dispersion = 0.01}), 20, 4);
  p.rows[7].y += 30;
  const Kernel kernel = Kernel::parse("rbf(lengthscale=1.5)").bind(2);
  const Inferred with =
      Inference(p.X, Observations::of(p.rows)).evaluate(kernel, Mean(), *likelihood);
  EXPECT_LT(with.posterior.sites.precision[7], 0);
  EXPECT_EQ(with.report.outcome, Outcome::converged);
  // An outlier that far says next to nothing.
  p.rows[7].y += 1e6;
  const Inferred far =
      Inference(p.X, Observations::of(p.rows)).evaluate(kernel, Mean(), *likelihood);
  EXPECT_CLOSE(far.posterior.mean, with.posterior.mean, 2e-2);
}

TEST(Laplace, FindsTheHigherOfTwoModes) {
  // Three outputs agree, two others agree with each other: the prior mean is nearer to the two.
  Matrix X = Matrix::Zero(5, 1);
  std::vector<Row> rows{{.y = 4}, {.y = 4.1}, {.y = 3.9}, {.y = 0.1}, {.y = -0.1}};
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 0.1});
  const Kernel kernel = Kernel::parse("rbf(variance=100)").bind(1);
  const Inferred q = Inference(X, Observations::of(rows)).evaluate(kernel, Mean(), *likelihood);
  EXPECT_NEAR(q.posterior.mean[0], 4, 0.1);
}

TEST(Laplace, LeavesASaddleOfTheLogPosterior) {
  // Symmetric conflict: the prior mean is stationary, and between two modes.
  Matrix X = Matrix::Zero(2, 1);
  std::vector<Row> rows{{.y = 2}, {.y = -2}};
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 0.1});
  const Kernel kernel = Kernel::parse("rbf(variance=100)").bind(1);
  const Inferred q = Inference(X, Observations::of(rows)).evaluate(kernel, Mean(), *likelihood);
  EXPECT_EQ(q.report.outcome, Outcome::converged);
  EXPECT_NEAR(std::abs(q.posterior.mean[0]), 2, 0.05);
  EXPECT_GT(q.posterior.variance.minCoeff(), 0);
}

}  // namespace
}  // namespace ggpm::internal
