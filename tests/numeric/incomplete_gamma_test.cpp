#include "numeric/incomplete_gamma.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>

namespace ggpm::internal {
namespace {

// Terms of sum_k x^k / (a)_(k+1), in 50 digits: slow, and right.
double p_by_series(double a, double x) {
  using Real = boost::multiprecision::cpp_bin_float_50;
  const Real A(a), X(x);
  Real term = 1 / A, sum = term;
  for (Real k = A + 1; term > sum * Real(1e-30); ++k) sum += term *= X / k;
  return static_cast<double>(exp(A * log(X) - X - boost::math::lgamma(A)) * sum);
}

TEST(IncompleteGamma, AgreesWithItsSeries) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(5.1, 6.5), deviations(-25, 8);
  for (int k = 0; k < 60; ++k) {
    const double a = std::pow(10, exponent(random));
    const double x = a + deviations(random) * std::sqrt(a), p = p_by_series(a, x);
    EXPECT_NEAR(numeric::gamma_p(a, x), p, 2e-12 * p) << a << ' ' << x;
  }
}

TEST(IncompleteGamma, TailsAreThoseOfBoostWhereItIsRight) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(5.1, 7), deviations(5, 30);
  for (int k = 0; k < 100; ++k) {
    const double a = std::pow(10, exponent(random)), x = a + deviations(random) * std::sqrt(a);
    const double q = boost::math::gamma_q(a, x);
    EXPECT_NEAR(numeric::gamma_q(a, x), q, 2e-10 * q) << a << ' ' << x;
  }
}

TEST(IncompleteGamma, PartsSumToOneAndGrow) {
  for (const double a : {2e5, 1e7, 1e9, 1e12, 1e15}) {
    double last = 0;
    for (double deviation = -12; deviation <= 12; deviation += 0.01) {
      const double x = a + deviation * std::sqrt(a), p = numeric::gamma_p(a, x);
      EXPECT_NEAR(p + numeric::gamma_q(a, x), 1, 4e-16) << a << ' ' << deviation;
      EXPECT_GE(p, last) << a << ' ' << deviation;
      last = p;
    }
  }
}

// There Boost stops its sum in silence, with 0.6 % of the tail missing.
TEST(IncompleteGamma, IsNormalForHugeShapes) {
  for (const double z : {-6.0, -3.0, 0.5, 4.4, 6.0}) {
    const double q = std::erfc(z / std::sqrt(2.0)) / 2;
    EXPECT_NEAR(numeric::gamma_q(1e12, 1e12 + z * 1e6), q, 1e-4 * q) << z;
  }
}

TEST(IncompleteGamma, ChangesItsFormulaWithoutAStep) {
  const double x = 1e5 + 200;
  const double below = numeric::gamma_q(1e5 * (1 - 1e-12), x),
               above = numeric::gamma_q(1e5 * (1 + 1e-12), x);
  EXPECT_NEAR(below, above, 1e-9 * above);
}

TEST(IncompleteGamma, EndsAtZeroAndOne) {
  for (const double a : {1e6, 1e9, 1e15}) {
    EXPECT_EQ(numeric::gamma_p(a, 0), 0);
    EXPECT_EQ(numeric::gamma_p(a, 0.5 * a), 0);
    EXPECT_EQ(numeric::gamma_q(a, 2 * a), 0);
    EXPECT_EQ(numeric::gamma_p(a, 2 * a), 1);
  }
}

// p lies between the values at the neighbors of x: no double is nearer. From a = 1e32 on, the whole
// distribution does.
TEST(IncompleteGamma, InverseInverts) {
  for (const double a : {0.2, 3.0, 2e5, 1e9, 1e15, 1e100})
    for (const double p : {0.001, 0.025, 0.5, 0.975}) {
      const double x = numeric::gamma_p_inverse(a, p);
      EXPECT_GT(p + 1e-9, numeric::gamma_p(a, std::nextafter(x, 0.0))) << a << " " << p;
      EXPECT_LT(p - 1e-9, numeric::gamma_p(a, std::nextafter(x, 1e308))) << a << " " << p;
    }
}

}  // namespace
}  // namespace ggpm::internal
