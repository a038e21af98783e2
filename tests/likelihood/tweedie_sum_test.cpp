#include "likelihood/families/tweedie_sum.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "numeric/incomplete_gamma.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

// Every number of terms, one by one.
double plain_cdf(double rate, double a, double y) {
  const double reach = 10 * std::sqrt(rate) + 30;
  double sum = std::exp(-rate);
  for (double j = std::max(1.0, std::floor(rate - reach)); j < rate + reach; ++j)
    sum += std::exp(numeric::log_poisson(j, std::log(rate))) * numeric::gamma_p(j * a, y);
  return sum;
}

// With a large shape the distribution function is a stair, which steps over many numbers missed.
TEST(TweedieSum, DistributionFunctionIsTheSumOverEveryNumber) {
  for (const double rate : {1e-3, 5.0, 60.0, 2e3, 3e5})
    for (const double a : {1e-4, 0.3, 9.0, 99.0, 101.0, 1e4, 1e6, 1e9})
      for (const double z : {-3.0, -1.0, -0.1, 0.0, 0.6, 2.0, 6.0}) {
        const double y = rate * a + z * std::sqrt(rate * a * (1 + a));
        if (!(y > 0)) continue;
        EXPECT_NEAR(tweedie_cdf(rate, a, y), plain_cdf(rate, a, y), 3e-10)
            << fmt::format("rate {}, shape {}, z {}", rate, a, z);
      }
}

// Steps between numbers that doubles skip would have no end.
TEST(TweedieSum, EndsForEveryRate) {
  for (const double rate : {1e-300, 1.0, 1e10, 1e17, 1e25, 3e32, 1e33, 1e34, 1e40, 1e280})
    for (const double a : {1e-15, 1e-6, 1.0, 150.0, 1e6, 1e15}) {
      double last = 0;
      for (const double part : {1e-20, 0.5, 1.0, 2.0, 1e20}) {
        const double p = tweedie_cdf(rate, a, rate * a * part);
        EXPECT_TRUE(p >= last && p <= 1) << fmt::format("rate {}, shape {}: {}", rate, a, p);
        last = p;
      }
      EXPECT_TRUE(std::isfinite(tweedie_sum(std::log(rate), a).value))
          << fmt::format("rate {}, shape {}", rate, a);
    }
}

// Across the rate from which the limit is taken, the slope is that of the values.
TEST(TweedieSum, MeetsItsLimit) {
  for (const double a : {1e-3, 0.2, 1.0, 30.0, 500.0})
    for (double log_j0 = 10; log_j0 < 22; log_j0 += 0.5) {
      const double h = 0.01, by_values = (tweedie_sum(log_j0 + h, a).value -
                                          tweedie_sum(log_j0 - h, a).value) /
                                         (2 * h);
      EXPECT_NEAR(tweedie_sum(log_j0, a).d_log_j0, by_values, 1e-6)
          << fmt::format("log j0 {}, shape {}", log_j0, a);
    }
}

}  // namespace
}  // namespace ggpm::internal
