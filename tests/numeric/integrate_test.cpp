#include "numeric/integrate.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/close.hpp"

namespace ggpm::internal::numeric {
namespace {

// An integrand for the batch interface from functions of one point, which counts what it is asked.
template <class... F>
struct Batch {
  std::tuple<F...> functions;
  mutable std::size_t points = 0, most = 0;

  explicit Batch(F... f) : functions(f...) {}
  void operator()(std::span<const double> x, Values<sizeof...(F)>& out) const {
    points += x.size();
    most = std::max(most, x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      std::apply([&](const auto&... f) { out[i] = {f(x[i])...}; }, functions);
  }
};

TEST(Kronrod, IsExactForPolynomialsOfItsDegree) {
  const KronrodRule& rule = kronrod21();
  for (int power = 0; power <= 31; ++power) {
    double kronrod = 0, gauss = 0;
    for (std::size_t i = 0; i < rule.size; ++i) {
      kronrod += rule.kronrod[i] * std::pow(rule.node[i], power);
      gauss += rule.gauss[i] * std::pow(rule.node[i], power);
    }
    const double exact = power % 2 == 1 ? 0 : 2.0 / (power + 1);
    EXPECT_CLOSE(kronrod, exact, 1e-14) << power;
    if (power <= 19) {
      EXPECT_CLOSE(gauss, exact, 1e-14) << power;
    }
  }
}

TEST(Trapezoid, HasAllDigitsForWhatDiesOutAtBothEnds) {
  const auto normal = [](double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  };
  const Batch f(
      normal, [&](double x) { return x * normal(x); }, [&](double x) { return x * x * normal(x); });
  const Integral<3> result = trapezoid<3>(f, -8.5, 8.5, 1e-10);
  EXPECT_TRUE(result.converged);
  EXPECT_CLOSE(result.value[0], 1, 1e-13);
  EXPECT_CLOSE(result.value[1], 0, 1e-13);
  EXPECT_CLOSE(result.value[2], 1, 1e-12);
  EXPECT_CLOSE(result.magnitude[1], std::sqrt(2 / std::numbers::pi), 1e-2);  // |x| has a corner
  EXPECT_LE(f.points, 50U);
  EXPECT_LE(f.most, kNodes);
}

TEST(Trapezoid, SaysWhereItDoesNotConverge) {
  const Batch cut([](double x) { return 1 / (1 + x * x); });  // still 0.1 at the ends
  EXPECT_FALSE(trapezoid<1>(cut, -3, 3, 1e-10).converged);
  EXPECT_LE(cut.most, kNodes);
  const Batch broken([](double) { return std::numeric_limits<double>::quiet_NaN(); });
  EXPECT_FALSE(trapezoid<1>(broken, -3, 3, 1e-10).converged);
}

TEST(Trapezoid, OfNothingIsNothing) {
  const Batch zero([](double) { return 0.0; });
  const Integral<1> result = trapezoid<1>(zero, -1, 1, 1e-10);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.value[0], 0);
}

TEST(Adaptive, FindsANarrowPeakThatItIsTold) {
  const double at = 0.31, width = 1e-7;
  const Batch f([&](double x) { return std::exp(-std::pow((x - at) / width, 2) / 2); });
  const std::array<double, 4> points = {-1, at - 20 * width, at + 20 * width, 1};
  const Integral<1> result = adaptive<1>(f, points, 1e-10);
  EXPECT_TRUE(result.converged);
  EXPECT_CLOSE(result.value[0] / (width * std::sqrt(2 * std::numbers::pi)), 1, 1e-9);
}

TEST(Adaptive, BisectsToCornersAndRoots) {
  const Batch f([](double x) { return std::abs(x - 1 / std::numbers::pi); },
                [](double x) { return std::sqrt(x); });
  const std::array<double, 2> points = {0, 1};
  const Integral<2> result = adaptive<2>(f, points, 1e-10);
  EXPECT_TRUE(result.converged);
  const double c = 1 / std::numbers::pi;
  EXPECT_CLOSE(result.value[0], (c * c + (1 - c) * (1 - c)) / 2, 1e-9);
  EXPECT_CLOSE(result.value[1], 2.0 / 3, 1e-9);
}

TEST(Adaptive, MagnitudeIsOfTheAbsoluteValues) {
  const Batch f([](double x) { return x; });
  const std::array<double, 3> points = {-1, 0, 1};
  const Integral<1> result = adaptive<1>(f, points, 1e-12);
  EXPECT_CLOSE(result.value[0], 0, 1e-15);
  EXPECT_CLOSE(result.magnitude[0], 1, 1e-14);
}

// A smooth function known to nine digits only: halving its panels finds nothing but rounding.
TEST(Adaptive, StopsWhereRoundingIsAllThatIsLeft) {
  const auto noise = [](double x) { return 1e-9 * std::sin(1e15 * x); };
  const Batch f([&](double x) { return std::exp(-x * x / 2) * (1 + noise(x)); });
  const std::array<double, 4> points = {-8, -1, 1, 8};
  const Integral<1> result = adaptive<1>(f, points, 1e-12);
  EXPECT_CLOSE(result.value[0], std::sqrt(2 * std::numbers::pi), 1e-9);
  EXPECT_LT(f.points, 64 * 21U);
}

TEST(Adaptive, SaysWhereItDoesNotConverge) {
  const Batch f([](double x) { return 1 / std::abs(x - 1 / std::numbers::pi); });
  const std::array<double, 2> points = {0, 1};
  EXPECT_FALSE(adaptive<1>(f, points, 1e-10).converged);
}

}  // namespace
}  // namespace ggpm::internal::numeric
