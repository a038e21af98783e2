// Prediction and leave-one-out.
#include <gtest/gtest.h>

#include "inference/problems.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

constexpr InferenceMethod kMethods[] = {
    InferenceMethod::taylor, InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld};

struct Fit {
  Kernel kernel;
  SmallProblem data;
  Inferred result;
};

Fit fit(const Likelihood& likelihood, InferenceMethod method, Index n, unsigned seed) {
  Fit f{Kernel::parse("rbf(variance=1.3, lengthscale=0.9) + linear(variance=0.2)").bind(2),
        small_problem(likelihood, n, seed),
        {}};
  f.result = Inference(f.data.X, Observations::of(f.data.rows))
                 .evaluate(f.kernel, Mean(), likelihood, {.method = method, .tolerance = 1e-11});
  return f;
}

TEST(LatentPredictor, EqualsTheExplicitFormula) {
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 0.15});
  for (const InferenceMethod method : kMethods) {
    const Fit f = fit(*likelihood, method, 30, 11);
    const LatentPredictor predictor(f.kernel, f.data.X, f.result.posterior);
    const Matrix Z = Matrix::Random(7, 2);
    Matrix K, k, kss;
    f.kernel.gram(f.data.X, K);
    f.kernel.cross(f.data.X, Z, k);
    f.kernel.gram(Z, kss);
    const Matrix P = f.result.posterior.sites.precision.asDiagonal();
    const Matrix Q = P * testing_support::inverse_of(Matrix::Identity(30, 30) + K * P);
    const Matrix C = kss - k.transpose() * Q * k;
    const Vector m = k.transpose() * f.result.posterior.alpha + Vector::Constant(7, 0.4);

    Vector mean, variance;
    predictor.predict(Z, Vector::Constant(7, 0.4), mean, variance);
    EXPECT_CLOSE(mean, m, 1e-10) << to_string(method);
    EXPECT_CLOSE(variance, C.diagonal(), 1e-10) << to_string(method);
    const Matrix covariance = predictor.covariance(Z);
    EXPECT_CLOSE(covariance, C, 1e-10) << to_string(method);
    EXPECT_GT(testing_support::eigenvalues_of(covariance)[0], -1e-10);
  }
}

TEST(LatentPredictor, AtTheTrainingInputsIsThePosterior) {
  for (const char* name : {"poisson", "gamma-scale", "beta"}) {
    const auto likelihood = make_likelihood(name);
    for (const InferenceMethod method : kMethods) {
      const Fit f = fit(*likelihood, method, 25, 12);
      Vector mean, variance;
      LatentPredictor(f.kernel, f.data.X, f.result.posterior)
          .predict(f.data.X, Vector::Zero(25), mean, variance);
      EXPECT_CLOSE(mean, f.result.posterior.mean, 1e-9) << name << to_string(method);
      EXPECT_CLOSE(variance, f.result.posterior.variance, 1e-9) << name << to_string(method);
    }
  }
}

TEST(LatentPredictor, VarianceIsBetweenZeroAndThePrior) {
  const auto likelihood = make_likelihood("gaussian", "", {.dispersion = 1e-12});
  const Fit f = fit(*likelihood, InferenceMethod::exact, 60, 13);
  Matrix Z(61, 2);
  Z << f.data.X, 50, 50;
  Vector mean, variance;
  LatentPredictor(f.kernel, f.data.X, f.result.posterior)
      .predict(Z, Vector::Zero(61), mean, variance);
  const Vector prior = f.kernel.diagonal(Z);
  for (Index i = 0; i < 61; ++i) {
    EXPECT_GE(variance[i], 0);
    EXPECT_LE(variance[i], prior[i]);
  }
}

TEST(LatentPredictor, DoesNotDependOnTheBlocks) {
  const auto likelihood = make_likelihood("poisson");
  const Fit f = fit(*likelihood, InferenceMethod::laplace, 20, 14);
  const LatentPredictor predictor(f.kernel, f.data.X, f.result.posterior);
  const Matrix Z = Matrix::Random(600, 2);
  Vector mean, variance, one_mean, one_variance;
  predictor.predict(Z, Vector::Zero(600), mean, variance);
  for (const Index i : {0, 255, 256, 599}) {
    predictor.predict(Z.row(i), Vector::Zero(1), one_mean, one_variance);
    EXPECT_NEAR(one_mean[0], mean[i], 1e-13);
    EXPECT_NEAR(one_variance[0], variance[i], 1e-13);
  }
  predictor.predict(Matrix(0, 2), Vector(0), mean, variance);
  EXPECT_EQ(mean.size(), 0);
}

TEST(LeaveOneOut, IsExactForGaussianRegression) {
  const auto likelihood = make_likelihood("gaussian", "", {.dispersion = 0.1});
  const Fit f = fit(*likelihood, InferenceMethod::exact, 15, 15);
  const LeaveOneOut loo =
      leave_one_out(*likelihood, Observations::of(f.data.rows), f.result.posterior);
  EXPECT_TRUE(loo.improper.empty());
  for (Index i = 0; i < 15; ++i) {
    Matrix X(14, 2);
    X << f.data.X.topRows(i), f.data.X.bottomRows(14 - i);
    std::vector<Row> rows = f.data.rows;
    rows.erase(rows.begin() + i);
    const Inferred without =
        Inference(X, Observations::of(rows))
            .evaluate(f.kernel, Mean(), *likelihood, {.method = InferenceMethod::exact});
    Vector mean, variance;
    LatentPredictor(f.kernel, X, without.posterior)
        .predict(f.data.X.row(i), Vector::Zero(1), mean, variance);
    EXPECT_CLOSE(loo.mean[i], mean[0], 1e-10);
    EXPECT_CLOSE(loo.variance[i], variance[0], 1e-10);
    const double expected =
        likelihood->predictive(f.data.rows[std::size_t(i)], mean[0], variance[0])
            ->log_density(f.data.rows[std::size_t(i)].y);
    EXPECT_CLOSE(loo.log_density[i], expected, 1e-9);
  }
}

TEST(LeaveOneOut, IsCloseToRefittingForEveryMethod) {
  const auto likelihood = make_likelihood("poisson");
  for (const InferenceMethod method : kMethods) {
    const Fit f = fit(*likelihood, method, 20, 16);
    const LeaveOneOut loo =
        leave_one_out(*likelihood, Observations::of(f.data.rows), f.result.posterior);
    double worst = 0;
    for (Index i = 0; i < 20; ++i) {
      Matrix X(19, 2);
      X << f.data.X.topRows(i), f.data.X.bottomRows(19 - i);
      std::vector<Row> rows = f.data.rows;
      const Row left = rows[std::size_t(i)];
      rows.erase(rows.begin() + i);
      const Inferred without = Inference(X, Observations::of(rows))
                                   .evaluate(f.kernel, Mean(), *likelihood, {.method = method});
      Vector mean, variance;
      LatentPredictor(f.kernel, X, without.posterior)
          .predict(f.data.X.row(i), Vector::Zero(1), mean, variance);
      const double expected =
          likelihood->predictive(left, mean[0], variance[0])->log_density(left.y);
      worst = std::max(worst, std::abs(loo.log_density[i] - expected));
    }
    EXPECT_LT(worst, method == InferenceMethod::ep ? 0.05 : 0.3) << to_string(method);
  }
}

}  // namespace
}  // namespace ggpm::internal
