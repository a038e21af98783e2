#include <gtest/gtest.h>

#include <cmath>

#include "ggpm/likelihood.hpp"
#include "support/close.hpp"

namespace ggpm {
namespace {

std::vector<Row> levels(std::initializer_list<double> y) {
  std::vector<Row> rows;
  for (const double level : y) rows.push_back({.y = level});
  return rows;
}

LikelihoodOptions cuts(std::initializer_list<double> values) {
  LikelihoodOptions options;
  for (const double value : values)
    options.parameters.push_back(
        {"cut[" + std::to_string(options.parameters.size() + 1) + "]", value});
  return options;
}

TEST(Ordinal, HasTheLevelsOfTheDataOrThoseOfItsCutPoints) {
  const auto found = make_likelihood("ordinal");
  found->adapt_to(levels({1, 2, 2, 5, 4}));
  EXPECT_EQ(found->levels(), 5);
  const auto parameters = found->parameters();
  for (std::size_t k = 1; k < parameters.size(); ++k)
    EXPECT_LT(parameters[k - 1].value, parameters[k].value);
  const auto given = make_likelihood("ordinal", "logit", cuts({-1, 0.5}));
  given->adapt_to(levels({1, 2}));
  EXPECT_EQ(given->levels(), 3);
  EXPECT_THROW(given->check(levels({1, 4})), DataError);
  EXPECT_THROW(given->check(levels({0})), DataError);
  EXPECT_THROW(given->check(levels({1.5})), DataError);
  EXPECT_THROW(make_likelihood("ordinal", "", cuts({1, 0})), UsageError);
  EXPECT_THROW(make_likelihood("ordinal", "", {.parameters = {{"cut[2]", 1}}}), UsageError);
}

TEST(Ordinal, OfTwoLevelsIsBernoulliOfAShiftedLatent) {
  for (const char* link : {"probit", "logit"}) {
    const auto two = make_likelihood("ordinal", link, cuts({0.3}));
    const auto bernoulli = make_likelihood("bernoulli", link);
    for (const double y : {0.0, 1.0})
      for (const double eta : {-30.0, -2.0, 0.3, 1.0, 25.0}) {
        LogDensity a, b;
        const Row level{.y = y + 1}, of{.y = y};
        const double shifted = eta - 0.3;
        two->log_density({&level, 1}, {&eta, 1}, Derivatives::third, {&a, 1});
        bernoulli->log_density({&of, 1}, {&shifted, 1}, Derivatives::third, {&b, 1});
        EXPECT_CLOSE(a.value, b.value, 1e-13);
        EXPECT_CLOSE(a.d1, b.d1, 1e-12);
        EXPECT_CLOSE(a.d2, b.d2, 1e-12);
        EXPECT_CLOSE(a.d3, b.d3, 1e-11);
      }
  }
}

TEST(Ordinal, ProbabilitiesOfItsLevelsSumToOne) {
  const auto likelihood = make_likelihood("ordinal", "", cuts({-2, -1.9999, 0.4, 3}));
  for (const double eta : {-40.0, -1.0, 0.0, 12.0}) {
    const auto p = likelihood->predictive({}, eta, 0.8);
    double sum = 0;
    for (int k = 1; k <= 5; ++k) {
      sum += std::exp(p->log_density(k));
      EXPECT_NEAR(p->cdf(k), sum, 1e-9);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

}  // namespace
}  // namespace ggpm
