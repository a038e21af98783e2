#include "likelihood/softmax.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "support/close.hpp"

namespace ggpm::internal {
namespace {

Matrix covariance_of(Index C, unsigned seed, double size) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const Matrix A = Matrix::NullaryExpr(C, C, [&](Index, Index) { return normal(random); });
  return size * A * A.transpose();
}

TEST(SoftmaxProbabilities, OfTwoClassesAreThoseOfBernoulli) {
  const auto bernoulli = make_likelihood("bernoulli");
  for (const double size : {0.01, 1.0, 30.0}) {
    const Matrix V = covariance_of(2, 3, size);
    Vector mean(2);
    mean << 0.3, -1.4;
    const double variance = V(0, 0) + V(1, 1) - 2 * V(0, 1);
    const auto one = bernoulli->predictive({}, mean[1] - mean[0], variance);
    const Vector p = softmax_probabilities(mean, V);
    EXPECT_NEAR(p[1], one->mean(), 1e-9) << size;
    const SoftmaxExpected e = softmax_expected(mean, V);
    EXPECT_NEAR(e.p[1], one->mean(), 1e-8);
    Expected value;
    const Row row{.y = 1};
    const double m = mean[1] - mean[0];
    bernoulli->expected({&row, 1}, {&m, 1}, {&variance, 1}, {&value, 1}, Dphi::skip);
    EXPECT_NEAR(mean[1] - e.log_sum, value.value, 1e-8 * (1 + std::abs(value.value)));
    EXPECT_NEAR(e.p[1] - e.pp(1, 1), -value.d2, 1e-8);
  }
}

// Three axes and more, and the random points behind them, against the mean over many draws.
TEST(SoftmaxProbabilities, AreMeansOverTheLatents) {
  for (const Index C : {3, 4, 5, 9}) {
    SCOPED_TRACE(C);
    const Matrix V = covariance_of(C, 5, 0.7);
    const Vector mean = Vector::LinSpaced(C, -1, 1);
    const Matrix root = V.llt().matrixL();
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    Vector sum = Vector::Zero(C);
    double log_sum = 0;
    const int draws = 100000;
    for (int k = 0; k < draws; ++k) {
      const Vector z = Vector::NullaryExpr(C, [&](Index) { return normal(random); });
      const SoftmaxAt at = softmax_at(mean + root * z);
      sum += at.p / draws;
      log_sum += at.log_sum / draws;
    }
    const Vector p = softmax_probabilities(mean, V);
    EXPECT_NEAR(p.sum(), 1, 1e-14);
    for (Index c = 0; c < C; ++c) EXPECT_NEAR(p[c], sum[c], 4e-3);
    EXPECT_NEAR(softmax_expected(mean, V).log_sum, log_sum, 2e-2);
  }
}

TEST(SoftmaxProbabilities, AreShiftedByNothingThatAllClassesShare) {
  const Matrix V = covariance_of(3, 11, 1);
  Vector mean(3);
  mean << 0.2, -0.4, 1;
  const Vector p = softmax_probabilities(mean, V);
  const Vector shifted = softmax_probabilities(mean.array() + 50, V.array() + 9);
  EXPECT_CLOSE(p, shifted, 1e-10);
  EXPECT_CLOSE(softmax_probabilities(Vector::Zero(7), Matrix::Identity(7, 7)),
               Vector(Vector::Constant(7, 1.0 / 7)),
               2e-4);
}

TEST(SoftmaxProbabilities, AreFiniteWhereLatentsAreFar) {
  Vector mean(3);
  mean << 800, -800, 0;
  const Vector p = softmax_probabilities(mean, 1e4 * Matrix::Identity(3, 3));
  EXPECT_TRUE(p.allFinite());
  EXPECT_GT(p[0], 0.99);
  const Vector certain = softmax_probabilities(mean, Matrix::Zero(3, 3));
  EXPECT_EQ(certain[0], 1);
}

TEST(LevelPredictive, AnswersFromItsProbabilities) {
  Vector p(3);
  p << 0.2, 0.5, 0.3;
  const auto levels = level_predictive(p);
  EXPECT_EQ(levels->mode(), 2);
  EXPECT_TRUE(std::isnan(levels->mean()));
  EXPECT_NEAR(levels->log_density(3), std::log(0.3), 1e-15);
  EXPECT_NEAR(levels->cdf(2), 0.7, 1e-15);
  EXPECT_EQ(levels->cdf(0), 0);
  EXPECT_EQ(levels->cdf(3), 1);
  std::mt19937_64 random(3);
  Vector counts = Vector::Zero(3);
  for (int k = 0; k < 20000; ++k) counts[static_cast<Index>(levels->sample(random)) - 1] += 1;
  EXPECT_CLOSE(Vector(counts / 20000), p, 0.02);
}

TEST(Softmax, SaysWhatItTakes) {
  EXPECT_THROW(make_likelihood("softmax", "logit"), UsageError);
  EXPECT_THROW(make_likelihood("softmax", "", {.parameters = {{"zero", 0.2}}}), UsageError);
  EXPECT_THROW(make_likelihood("softmax", "", {.parameters = {{"levels", 2.5}}}), UsageError);
  const auto likelihood = make_likelihood("softmax");
  const std::vector<Row> rows = {{.y = 1}, {.y = 4}, {.y = 2}};
  likelihood->adapt_to(rows);
  EXPECT_EQ(likelihood->levels(), 4);
  likelihood->check(rows);
  EXPECT_THROW(likelihood->check(std::vector<Row>{{.y = 5}}), DataError);
  EXPECT_THROW(likelihood->check(std::vector<Row>{{.y = 0}}), DataError);
  EXPECT_TRUE(has_several_latents(*likelihood));
  EXPECT_FALSE(has_several_latents(*make_likelihood("ordinal")));
}

}  // namespace
}  // namespace ggpm::internal
