#include "model/mean_function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::likelihood_names;
using testing_support::simulate;
using testing_support::some_method;
using testing_support::test_name;

const std::vector<double> kLevels = {0.025, 0.3, 0.5, 0.975};

class MeanOf : public testing::TestWithParam<std::string> {};

TEST_P(MeanOf, ExceedsItsQuantilesWithTheProbabilityThatIsLeft) {
  FitOptions as_given;
  as_given.optimize = false;
  const GeneralizedGP model =
      GeneralizedGP::fit(simulate(GetParam(), 25, 2, 3),
                         {.likelihood = GetParam(), .inference = some_method(GetParam())},
                         as_given);
  const Predictions p = model.predictive({.X = Matrix::Random(4, 2)});
  const Matrix quantiles = p.mean_quantiles(kLevels);
  ASSERT_TRUE(quantiles.allFinite());
  for (Index i = 0; i < quantiles.rows(); ++i)
    for (std::size_t k = 0; k < kLevels.size(); ++k) {
      const auto column = static_cast<Index>(k);
      EXPECT_TRUE(k == 0 || quantiles(i, column - 1) < quantiles(i, column));
      EXPECT_CLOSE(p.mean_above(quantiles(i, column))[i], 1 - kLevels[k], 1e-6);
    }
  for (Index i = 0; i < 4; ++i)
    EXPECT_CLOSE(quantiles(i, 2), model.likelihood().mean({}, p.latent_mean()[i]), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, MeanOf, testing::ValuesIn(likelihood_names()), [](const auto& one) {
  return test_name(one.param);
});

MeanFunction at(const Likelihood& likelihood, double mean, double variance, const Row& row = {}) {
  return {likelihood, 6, row, mean, variance};
}

TEST(MeanFunction, OfCountsIsTheExponentialOfTheLatentTimesExposure) {
  const auto linear = make_likelihood("linear-poisson"), poisson = make_likelihood("poisson");
  EXPECT_CLOSE(
      at(*poisson, 0.3, 0.25).quantile(0.975), std::exp(0.3 + 0.5 * 1.959963984540054), 1e-12);
  EXPECT_CLOSE(at(*poisson, 0, 1).above(1), 0.5, 1e-12);
  const Row exposed{.exposure = 5};
  EXPECT_CLOSE(at(*linear, 0.3, 0.25, exposed).quantile(0.1),
               5 * at(*linear, 0.3, 0.25).quantile(0.1),
               1e-12);
}

TEST(MeanFunction, IsCertainWhereTheLatentIs) {
  const auto likelihood = make_likelihood("bernoulli");
  const MeanFunction known = at(*likelihood, 0, 0);
  EXPECT_EQ(known.quantile(0.01), 0.5);
  EXPECT_EQ(known.quantile(0.99), 0.5);
  EXPECT_EQ(known.above(0.4), 1);
  EXPECT_EQ(known.above(0.5), 0);
}

TEST(MeanFunction, NeverLeavesItsDomain) {
  const auto likelihood = make_likelihood("bernoulli");
  EXPECT_EQ(at(*likelihood, 3, 100).above(1), 0);
  EXPECT_EQ(at(*likelihood, -3, 100).above(-0.1), 1);
  EXPECT_TRUE(std::isnan(at(*make_likelihood("poisson"), 700, 1e4).quantile(0.975)));
}

// A rate of e^-eta, and one of e^(-eta^2).
TEST(MeanFunction, MayFallWithTheLatentButNotTurn) {
  const std::string poisson =
      "[likelihood]\ndomain = \"count\"\na = \"1\"\nb = \"exp(theta)\"\nc = \"-lgamma(y+1)\"\n"
      "T = \"y\"\n";
  const auto falls = make_likelihood(poisson + "theta = \"-eta\"\n");
  const MeanFunction mean = at(*falls, 0.3, 0.25);
  EXPECT_CLOSE(mean.quantile(0.975), std::exp(-0.3 + 0.5 * 1.959963984540054), 1e-9);
  EXPECT_CLOSE(mean.above(mean.quantile(0.9)), 0.1, 1e-9);
  const auto turns = make_likelihood(poisson + "theta = \"-eta*eta\"\n");
  try {
    at(*turns, 0.3, 0.25);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("row 7: the mean of y is not monotone"));
  }
}

}  // namespace
}  // namespace ggpm::internal
