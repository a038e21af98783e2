// Special functions and all their derivatives against their textbook formulas in 100 digits.
#include "numeric/special.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <random>

#include "numeric/integrate.hpp"

namespace ggpm::internal::numeric {
namespace {

using Digits = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>,
                                             boost::multiprecision::et_off>;

struct Function {
  const char* name;
  void (*derivs)(double, std::size_t, Derivs&);
  Digits (*textbook)(const Digits&);
  double low, high;
};

class SpecialFunction : public testing::TestWithParam<Function> {};

TEST_P(SpecialFunction, ValueAndDerivativesKeepTheirDigits) {
  const Function& f = GetParam();
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(f.low, f.high);
  for (int trial = 0; trial < 300; ++trial) {
    const double x = uniform(random);
    const Digits h = Digits(1) / boost::multiprecision::pow(Digits(10), 14);
    std::array<Digits, 7> v;  // x - 3h ... x + 3h
    for (int k = -3; k <= 3; ++k)
      v[static_cast<std::size_t>(k + 3)] = f.textbook(Digits(x) + k * h);
    const std::array<Digits, 5> want = {
        v[3],
        (v[4] - v[2]) / (2 * h),
        (v[4] - 2 * v[3] + v[2]) / (h * h),
        (v[5] - 2 * v[4] + 2 * v[2] - v[1]) / (2 * h * h * h),
        (v[5] - 4 * v[4] + 6 * v[3] - 4 * v[2] + v[1]) / (h * h * h * h)};
    Derivs d{};
    f.derivs(x, 4, d);
    for (std::size_t k = 0; k <= 4; ++k) {
      const double expected = static_cast<double>(want[k]);
      // Every order loses a digit or so to its own cancellation at the seams of the branches.
      const double tolerance = k == 0 ? 1e-14 : (k < 3 ? 2e-12 : 2e-9);
      EXPECT_NEAR(d[k], expected, tolerance * (std::abs(expected) + (k == 0 ? 0.1 : 0)) + 1e-300)
          << f.name << " x=" << x << " order " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SpecialFunction,
    testing::Values(
        Function{"softplus", softplus_derivs, softplus<Digits>, -60, 60},
        Function{"log_softplus", log_softplus_derivs, log_softplus<Digits>, -15, 60},
        Function{"log_ndtr", log_ndtr_derivs, log_ndtr<Digits>, -30, 8},
        Function{"log_cloglog", log_cloglog_derivs, log_cloglog<Digits>, -40, 3},
        Function{"log1mexp", log1mexp_derivs, log1mexp<Digits>, -40, -1e-3},
        Function{"excess", excess_derivs, excess<Digits>, -3, 30},
        Function{"expm1", expm1_derivs, expm1<Digits>, -3, 30},
        Function{"log1p", log1p_derivs, log1p<Digits>, -0.9, 30},
        Function{"log_expm1_ratio", log_expm1_ratio_derivs, log_expm1_ratio<Digits>, -30, 30},
        Function{"log_log1p_ratio", log_log1p_ratio_derivs, log_log1p_ratio<Digits>, -0.9, 9},
        Function{"lgamma1p", lgamma1p_derivs, lgamma1p<Digits>, 1e-3, 40},
        Function{"stirling", stirling_derivs, stirling<Digits>, 0.5, 60}),
    [](const auto& test) { return test.param.name; });

TEST(Digamma, InverseUndoesIt) {
  for (double y = -50; y < 20; y += 0.37) {
    const double x = digamma_inverse(y);
    EXPECT_NEAR(boost::math::digamma(x), y, 1e-12 * (1 + std::abs(y))) << y;
  }
}

TEST(Integrate, AdaptiveFindsANarrowPeakItIsShown) {
  const auto f = [](std::span<const double> x, Values<1>& out) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = (x[i] - 0.3) / 1e-5;
      out[i][0] = std::exp(-d * d / 2);
    }
  };
  const std::array<double, 5> points = {-10, 0.3 - 1e-4, 0.3, 0.3 + 1e-4, 10};
  const auto integral = adaptive<1>(f, points, 1e-11);
  EXPECT_TRUE(integral.converged);
  EXPECT_NEAR(integral.value[0], 1e-5 * std::sqrt(2 * M_PI), 1e-15);
}

TEST(Integrate, TrapezoidSaysWhenItHasNotConverged) {
  const auto f = [](std::span<const double> x, Values<1>& out) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i][0] = std::abs(x[i] - 0.1234) < 0.3 ? 1 : 0;
  };
  EXPECT_FALSE((trapezoid<1>(f, -1, 1, 1e-9).converged));
}

}  // namespace
}  // namespace ggpm::internal::numeric
