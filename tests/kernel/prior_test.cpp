#include "ggpm/prior.hpp"

#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

using Kind = Prior::Kind;

const std::vector<Prior> kPriors = {{Kind::normal, 2, 0.7},
                                    {Kind::lognormal, 0.3, 0.5},
                                    {Kind::gamma, 2.5, 1.5},
                                    {Kind::inverse_gamma, 6, 4}};

TEST(Prior, DensityIntegratesToOne) {
  for (const Prior& prior : kPriors) {
    // The midpoint rule in log(value), where all of them are smooth and light-tailed.
    double sum = 0;
    const double step = 1e-3;
    for (double t = -30; t < 12; t += step)
      sum += step * std::exp(prior.log_density(std::exp(t)) + t);
    const double expected =
        prior.kind == Kind::normal ? 0.5 * std::erfc(-2 / 0.7 / std::sqrt(2)) : 1;
    EXPECT_CLOSE(sum, expected, 1e-6) << prior.text();
  }
}

TEST(Prior, DerivativeIsThatOfTheLogDensity) {
  for (const Prior& prior : kPriors)
    for (const double x : {0.2, 1.0, 3.5}) {
      const double step = 1e-5;
      const double expected =
          (prior.log_density(x + step) - prior.log_density(x - step)) / (2 * step);
      EXPECT_CLOSE(prior.derivative(x), expected, 1e-7) << prior.text() << " at " << x;
    }
}

TEST(Prior, NoneSaysNothing) {
  EXPECT_EQ(Prior().log_density(3), 0);
  EXPECT_EQ(Prior().derivative(3), 0);
  EXPECT_EQ(Prior().text(), "");
  EXPECT_EQ((Prior{Kind::gamma, 2, 1}.log_density(-1)), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
