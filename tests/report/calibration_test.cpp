// Numbers behind the pictures of how good predictions are.
#include "report/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/close.hpp"

namespace ggpm::internal::report {
namespace {

ScoredRows judged_of(const Vector& y, const Vector& mean) {
  ScoredRows out;
  out.y = y;
  out.mean = mean;
  out.per = Vector::Ones(y.size());
  return out;
}

// The area is the probability that a row of the second class has the higher probability.
TEST(Separation, AreaCountsPairsAndHalfOfTies) {
  std::mt19937_64 random(3);
  Vector y(60), p(60);
  for (Index i = 0; i < 60; ++i) {
    y[i] = static_cast<double>(random() % 2);
    p[i] = static_cast<double>((random() + (y[i] > 0 ? 3 : 0)) % 10) / 10;
  }
  double pairs = 0, won = 0;
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 60; ++j) {
      if (!(y[i] > y[j])) continue;
      pairs += 1;
      won += p[i] > p[j] ? 1 : p[i] == p[j] ? 0.5 : 0;
    }
  const Separation of = separation(judged_of(y, p));
  EXPECT_NEAR(of.area, won / pairs, 1e-12);
  EXPECT_NEAR(of.brier, (y - p).squaredNorm() / 60, 1e-12);
  EXPECT_EQ(of.alarms.back(), 1);
  EXPECT_EQ(of.found.back(), 1);
}

TEST(Separation, OfOneClassIsNoCurve) {
  EXPECT_FALSE(separation(judged_of(Vector::Ones(4), Vector::Constant(4, 0.7))).both);
}

SavedModel counts(Index n) {
  std::mt19937_64 random(6);
  Dataset data{.X = Matrix(n, 1), .observed = {.y = Vector(n)}};
  for (Index i = 0; i < n; ++i) {
    data.X(i, 0) = static_cast<double>(i) / 10;
    std::poisson_distribution<int> poisson(3);
    data.observed.y[i] = static_cast<double>(poisson(random));
  }
  return {.model = GeneralizedGP::fit(
              data, {.likelihood = "poisson", .kernel = "constant(1)"}, {.optimize = false})};
}

TEST(Rootogram, ExpectsEveryRowSomewhereAndOfAConstantRateThePoissonCounts) {
  const SavedModel saved = counts(200);
  const Subject subject(saved);
  const Rootogram of = rootogram(score_left_out(subject, 1));
  EXPECT_EQ(of.observed.sum(), 200);
  EXPECT_LE(of.expected.sum(), 200);
  EXPECT_GT(of.expected.sum(), 198);
  const double rate = saved.model.observations().y.mean();
  for (Index k = 0; k < 6; ++k) {
    const double poisson = std::exp(static_cast<double>(k) * std::log(rate) - rate -
                                    std::lgamma(static_cast<double>(k) + 1));
    EXPECT_NEAR(of.expected[k], 200 * poisson, 2) << k;
  }
}

TEST(Residuals, ShowATrendThatTheModelDoesNotUse) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Dataset data{.X = Matrix(200, 2), .observed = {.y = Vector(200)}, .columns = {"used", "unused"}};
  for (Index i = 0; i < 200; ++i) {
    data.X.row(i) << normal(random), normal(random);
    data.observed.y[i] = data.X(i, 0) + std::abs(data.X(i, 1)) + 0.3 * normal(random);
  }
  const SavedModel saved{
      .model = GeneralizedGP::fit(data, {.kernel = "rbf(columns=[used])"}, {.restarts = 0})};
  const Subject subject(saved);
  const ScoredRows scored = score_left_out(subject, 1);
  const double used = residuals_along(subject.inputs()[0], scored).trend,
               unused = residuals_along(subject.inputs()[1], scored).trend;
  EXPECT_LT(used, 2);
  EXPECT_GT(unused, 3);
}

}  // namespace
}  // namespace ggpm::internal::report
