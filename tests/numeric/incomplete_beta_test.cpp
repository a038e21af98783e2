#include "numeric/incomplete_beta.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <random>

#include "support/close.hpp"

namespace ggpm::internal {
namespace {

// The density by quadrature in 40 digits.
TEST(IncompleteBeta, AgreesWithFortyDigits) {
  struct Case {
    double a, b, x, y, p;  // x or y is -1: one minus the other
  };
  for (const Case& c : {Case{2e5, 3e5, 0.39792153903091737, -1, 0.0013430298201379587},
                        Case{2e5, 3e5, 0.40000692820323025, -1, 0.50406611919428364},
                        Case{2e5, 3e5, 0.40138564064605509, -1, 0.97721886721935886},
                        Case{1e15, 1e15, 0.49999997808653385, -1, 0.024997895287943165},
                        Case{1e15, 1e15, 0.50000000559016999, -1, 0.69146246284298828},
                        Case{3e5, 1e12, 2.9890446537796681e-7, -1, 0.02265146856543659},
                        Case{3e5, 1e12, 2.9999996477225811e-7, -1, 0.50028268264862871},
                        Case{1e12, 3e5, -1, 2.9945218768899692e-7, 0.84134488067135616},
                        Case{123456, 1e15, 1.2433440763483586e-10, -1, 0.99370291239060224},
                        Case{123456, 1e15, 1.2205054774463504e-10, -1, 2.980732007015311e-5}}) {
    const double x = c.x < 0 ? 1 - c.y : c.x, y = c.y < 0 ? 1 - c.x : c.y;
    // x itself is rounded: by sd 1e-9 of it where a = 1e15.
    const double tolerance = c.a == 1e15 ? 1e-8 : 2e-11;
    EXPECT_NEAR(numeric::beta_p(c.a, c.b, x, y), c.p, tolerance) << c.a << " " << c.b;
    EXPECT_NEAR(numeric::beta_p(c.b, c.a, y, x), 1 - c.p, tolerance) << c.a << " " << c.b;
  }
}

TEST(IncompleteBeta, IsThatOfBoostWhereBoostIsQuick) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(5.1, 7), deviations(-6, 6);
  for (int k = 0; k < 100; ++k) {
    const double a = std::pow(10, exponent(random)), b = std::pow(10, exponent(random));
    const double mean = a / (a + b), sd = std::sqrt(mean * (1 - mean) / (a + b));
    const double x = mean + deviations(random) * sd, p = boost::math::ibeta(a, b, x);
    EXPECT_NEAR(numeric::beta_p(a, b, x, 1 - x), p, 1e-9 * p + 1e-13) << a << " " << b << " " << x;
  }
}

// p lies between the values at the neighbors of x: no double is nearer.
TEST(IncompleteBeta, InverseInverts) {
  for (const double a : {0.3, 7.0, 2e5, 1e9, 1e15})
    for (const double b : {0.5, 30.0, 3e5, 1e12})
      for (const double p : {0.025, 0.5, 0.999}) {
        const double x = numeric::beta_p_inverse(a, b, p);
        const double below = std::nextafter(x, 0.0), above = std::min(1.0, std::nextafter(x, 2.0));
        EXPECT_GT(p + 1e-9, numeric::beta_p(a, b, below, 1 - below)) << a << " " << b << " " << p;
        EXPECT_LT(p - 1e-9, numeric::beta_p(a, b, above, 1 - above)) << a << " " << b << " " << p;
      }
}

TEST(IncompleteBeta, EndsAreExact) {
  EXPECT_EQ(numeric::beta_p(2, 3, 0, 1), 0);
  EXPECT_EQ(numeric::beta_p(2, 3, 1, 0), 1);
  EXPECT_EQ(numeric::beta_p(1e6, 1e6, 0, 1), 0);
  EXPECT_EQ(numeric::beta_p(1e6, 1e6, 1, 0), 1);
}

}  // namespace
}  // namespace ggpm::internal
