// The fixed rule of few latent points: what it is sure of is right, and the rest it leaves alone.
#include "likelihood/latent_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ggpm::internal {
namespace {

template <class F>
LatentRule::Average by_rule(const F& f, double mean, double sd) {
  const LatentRule rule(mean, sd * sd);
  LatentRule::Values values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(rule.eta()[i]);
  return LatentRule::of(values);
}

template <class F>
double by_many_points(const F& f, double mean, double sd) {
  constexpr double kStep = 1e-3;
  double sum = 0;
  for (int k = -9000; k <= 9000; ++k) {
    const double z = kStep * k;
    sum += kStep * std::exp(-z * z / 2) / std::sqrt(2 * M_PI) * f(mean + sd * z);
  }
  return sum;
}

// Steps of any width at any place: where two thirds of the points agree by chance, the last does not.
TEST(LatentRule, StepsThatItIsSureOfAreRight) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  int sure = 0, unsure = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const double width = std::pow(10.0, -2 + 2.5 * uniform(random));
    const double place = 8 * uniform(random) - 4;
    const auto step = [&](double eta) { return 1 / (1 + std::exp((place - eta) / width)); };
    const LatentRule::Average few = by_rule(step, 0.3, 1);
    if (!few.within(4e-4)) {
      ++unsure;
      continue;
    }
    ++sure;
    EXPECT_NEAR(few.value, by_many_points(step, 0.3, 1), 1e-10)
        << "width " << width << ", place " << place;
  }
  EXPECT_GT(sure, 200);
  EXPECT_GT(unsure, 200);
}

TEST(LatentRule, AveragesOfExponentialsAreRight) {
  for (const double sd : {0.01, 0.1, 0.5, 0.8}) {
    const LatentRule::Average few = by_rule([](double eta) { return std::exp(eta); }, 1, sd);
    EXPECT_TRUE(few.within(4e-4)) << sd;
    EXPECT_NEAR(few.value / std::exp(1 + sd * sd / 2), 1, 1e-11) << sd;
  }
}

TEST(LatentRule, IsNotSureOfWhatOutgrowsItOrIsNoNumber) {
  EXPECT_FALSE(by_rule([](double eta) { return std::exp(eta); }, 0, 8).within(1));
  EXPECT_FALSE(
      by_rule(
          [](double eta) { return eta > 1 ? std::numeric_limits<double>::infinity() : 1; }, 0, 1)
          .within(1));
  EXPECT_FALSE(by_rule([](double eta) { return std::sqrt(eta); }, 0, 1).within(1));
}

}  // namespace
}  // namespace ggpm::internal
