// What the paper says each method becomes in special cases, and Claim 1.
#include <gtest/gtest.h>

#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

#include "inference/problems.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

Kernel an_rbf() { return Kernel::parse("rbf(variance=1.5, lengthscale=0.8)").bind(2); }

Inferred taylor(const Likelihood& likelihood,
                const SmallProblem& p,
                ExpansionPoint point,
                double offset = -1) {
  InferenceOptions options{.method = InferenceMethod::taylor};
  options.expansion = {.point = point, .offset = offset};
  return Inference(p.X, Observations::of(p.rows)).evaluate(an_rbf(), Mean(), likelihood, options);
}

// The posterior mean of regression on targets with a noise of their own.
Vector regression(const Matrix& X, const Vector& target, const Vector& noise) {
  Matrix K;
  an_rbf().gram(X, K);
  const Matrix A = K + Matrix(noise.asDiagonal());
  return K * testing_support::solved(A, target);
}

TEST(Taylor, OfTheBinomialAtZeroIsLabelRegression) {
  const auto likelihood = make_likelihood("binomial");
  const SmallProblem p = small_problem(*likelihood, 20, 1);
  const Inferred q = taylor(*likelihood, p, ExpansionPoint::agnostic);
  Vector target(20), noise(20);
  for (Index i = 0; i < 20; ++i) {
    const Row& row = p.rows[std::size_t(i)];
    target[i] = 4 * (row.y / row.trials - 0.5);  // +-2 for one trial
    noise[i] = 4 / row.trials;
  }
  EXPECT_CLOSE(q.posterior.sites.precision.cwiseInverse(), noise, 1e-12);
  EXPECT_CLOSE(q.posterior.mean, regression(p.X, target, noise), 1e-10);
}

TEST(Taylor, OfPoissonIsBayesianPoissonRegression) {
  const auto likelihood = make_likelihood("poisson");
  const SmallProblem p = small_problem(*likelihood, 20, 2);
  for (const double c : {0.5, 1.0}) {
    const Inferred q = taylor(*likelihood, p, ExpansionPoint::canonical, c);
    Vector target(20), noise(20);
    for (Index i = 0; i < 20; ++i) {
      const double y = p.rows[std::size_t(i)].y;
      target[i] = std::log(y + c) - c / (y + c);
      noise[i] = 1 / (y + c);
    }
    EXPECT_CLOSE(q.posterior.sites.precision.cwiseInverse(), noise, 1e-12);
    EXPECT_CLOSE(q.posterior.mean, regression(p.X, target, noise), 1e-10);
  }
}

TEST(Taylor, OfGammaShapeIsRegressionOnTheLogarithm) {
  const auto likelihood = make_likelihood("gamma-shape", "", {.dispersion = 0.3});
  const SmallProblem p = small_problem(*likelihood, 20, 3);
  const Inferred q = taylor(*likelihood, p, ExpansionPoint::exact);
  Vector target(20);
  for (Index i = 0; i < 20; ++i) target[i] = std::log(p.rows[std::size_t(i)].y);
  EXPECT_CLOSE(q.posterior.mean, regression(p.X, target, Vector::Constant(20, 0.3)), 1e-10);
}

TEST(Taylor, OfTheInverseGaussianHasNoise4PhiY) {
  const auto likelihood = make_likelihood("inverse-gaussian", "", {.dispersion = 0.3});
  const SmallProblem p = small_problem(*likelihood, 20, 4);
  const Inferred q = taylor(*likelihood, p, ExpansionPoint::exact);
  Vector target(20), noise(20);
  for (Index i = 0; i < 20; ++i) {
    const double y = p.rows[std::size_t(i)].y;
    target[i] = std::log(2 * y * y);
    noise[i] = 4 * 0.3 * y;
  }
  EXPECT_CLOSE(q.posterior.sites.precision.cwiseInverse(), noise, 1e-9);
  EXPECT_CLOSE(q.posterior.mean, regression(p.X, target, noise), 1e-9);
}

TEST(Taylor, OfBetaAtZeroTendsToTheLogitGP) {
  for (const double phi : {0.5, 0.1, 0.001}) {
    const auto likelihood = make_likelihood("beta", "", {.dispersion = phi});
    const SmallProblem p = small_problem(*likelihood, 15, 5);
    const Inferred q = taylor(*likelihood, p, ExpansionPoint::agnostic);
    const double trigamma = boost::math::trigamma(1 / (2 * phi));
    Vector target(15);
    for (Index i = 0; i < 15; ++i) {
      const double y = p.rows[std::size_t(i)].y;
      target[i] = std::log(y / (1 - y)) * 2 * phi / trigamma;  // errata 2.7
    }
    const Vector noise = Vector::Constant(15, 8 * phi * phi / trigamma);
    EXPECT_CLOSE(q.posterior.sites.precision.cwiseInverse(), noise, 1e-10);
    EXPECT_CLOSE(q.posterior.mean, regression(p.X, target, noise), 1e-9);
    if (phi > 0.01) continue;
    EXPECT_CLOSE(noise[0] / (4 * phi), 1.0, 0.01);
  }
}

Vector means(const Likelihood& likelihood, const Row& row, double variance) {
  const Kernel kernel = Kernel::parse("constant").bind(1).with_values(std::vector{variance});
  Inference inference(Matrix::Zero(1, 1), Observations::of({&row, 1}));
  Vector m(3);
  Index k = 0;
  for (const auto method : {InferenceMethod::taylor, InferenceMethod::laplace, InferenceMethod::ep})
    m[k++] = inference.evaluate(kernel, Mean(), likelihood, {.method = method}).posterior.mean[0];
  return m;
}

TEST(Claim1, MeansOfGammaShapeAreOrderedWithOneLatent) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform;
  const auto draw_log = [&](double low, double high) {
    return std::exp(std::log(low) + uniform(random) * std::log(high / low));
  };
  for (int trial = 0; trial < 200; ++trial) {
    const auto likelihood = make_likelihood("gamma-shape", "", {.dispersion = draw_log(1e-2, 50)});
    const Vector m = means(*likelihood, {.y = draw_log(1e-2, 1e2)}, draw_log(0.03, 30));
    EXPECT_LE(m[0], m[1] + 1e-9);
    EXPECT_LE(m[1], m[2] + 1e-9);
  }
}

TEST(Claim1, TableOfTheErrata) {
  const auto shape = make_likelihood("gamma-shape", "", {.dispersion = 1});
  EXPECT_CLOSE(means(*shape, {.y = 8}, 2), Eigen::Vector3d(1.386294, 1.515428, 1.684953), 1e-6);
  const auto scale = make_likelihood("gamma-scale", "", {.dispersion = 1});
  EXPECT_CLOSE(means(*scale, {.y = 8}, 2), Eigen::Vector3d(2.027021, 2.013264, 1.855649), 1e-6);
  const auto poisson = make_likelihood("poisson");
  InferenceOptions options{.method = InferenceMethod::taylor};
  options.expansion = {.point = ExpansionPoint::exact, .offset = 0.5};
  const Vector m = means(*poisson, {.y = 4}, 2);
  EXPECT_CLOSE(m.tail(2), Eigen::Vector2d(1.220723, 1.107898), 1e-6);
}

TEST(Claim1, HoldsOnAverageForManyLatents) {
  const auto likelihood = make_likelihood("gamma-shape", "", {.dispersion = 0.5});
  double difference = 0, to_ep = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const SmallProblem p = small_problem(*likelihood, 15, 100 + seed);
    Inference inference(p.X, Observations::of(p.rows));
    const auto mean = [&](InferenceMethod method) {
      return inference.evaluate(an_rbf(), Mean(), *likelihood, {.method = method})
          .posterior.mean.mean();
    };
    const double laplace = mean(InferenceMethod::laplace);
    difference += laplace - mean(InferenceMethod::taylor);
    to_ep += mean(InferenceMethod::ep) - laplace;
  }
  EXPECT_GT(difference, 0);
  EXPECT_GT(to_ep, 0);
}

}  // namespace
}  // namespace ggpm::internal
