#include "model/checked_predictive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ggpm::internal {
namespace {

using testing::HasSubstr;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Says one number, whatever it is asked.
class Says final : public Predictive {
 public:
  explicit Says(double value) : value_(value) {}
  double mean() const override { return value_; }
  double variance() const override { return value_; }
  double mode() const override { return value_; }
  double log_density(double) const override { return value_; }
  double cdf(double) const override { return value_; }
  double quantile(double) const override { return value_; }
  double sample(std::mt19937_64&) const override { return value_; }

 private:
  double value_;
};

std::unique_ptr<Predictive> checked(double value, PredictiveFacts facts) {
  return make_checked_predictive(std::make_unique<Says>(value), facts);
}

PredictiveFacts counts() {
  return {.row = 7, .latent_mean = 2, .latent_variance = 9, .low = 0, .high = kInfinity};
}

TEST(CheckedPredictive, PassesWhatCanBe) {
  const auto p = checked(0.5, counts());
  std::mt19937_64 random(1);
  for (const double value : {p->mean(),
                             p->variance(),
                             p->mode(),
                             p->log_density(1),
                             p->cdf(1),
                             p->quantile(0.5),
                             p->sample(random)})
    EXPECT_EQ(value, 0.5);
}

TEST(CheckedPredictive, RefusesWhatCannotBe) {
  std::mt19937_64 random(1);
  for (const double value : {kNaN, -1.0, -kInfinity}) {
    const auto p = checked(value, counts());
    EXPECT_THROW(p->variance(), NumericalError) << value;
    EXPECT_THROW(p->cdf(1), NumericalError) << value;
    EXPECT_THROW(p->quantile(0.5), NumericalError) << value;
    EXPECT_THROW(p->sample(random), NumericalError) << value;
  }
  EXPECT_THROW(checked(kNaN, counts())->mean(), NumericalError);
  EXPECT_THROW(checked(-1, counts())->mean(), NumericalError);
  EXPECT_THROW(checked(-1, counts())->mode(), NumericalError);
  EXPECT_THROW(checked(kInfinity, counts())->mode(), NumericalError);
  EXPECT_THROW(checked(1.5, counts())->cdf(1), NumericalError);
  for (const double value : {kNaN, kInfinity, -kInfinity})
    EXPECT_THROW(checked(value, counts())->log_density(1), NumericalError) << value;
}

TEST(CheckedPredictive, IsNaNOnlyWhereNothingExistsOrDoublesEnd) {
  PredictiveFacts heavy{
      .row = 1, .low = -kInfinity, .high = kInfinity, .has_mean = false, .has_variance = false};
  EXPECT_TRUE(std::isnan(checked(kNaN, heavy)->mean()));
  EXPECT_TRUE(std::isnan(checked(kNaN, heavy)->variance()));
  EXPECT_TRUE(std::isnan(checked(kInfinity, counts())->mean()));
  EXPECT_TRUE(std::isnan(checked(kInfinity, counts())->variance()));
  EXPECT_TRUE(std::isnan(checked(kNaN, counts())->mode()));
}

TEST(CheckedPredictive, LeavesTheEndsOfTheSupport) {
  EXPECT_EQ(checked(kInfinity, counts())->quantile(1), kInfinity);
  EXPECT_EQ(checked(0, counts())->quantile(0), 0);
}

TEST(CheckedPredictive, NamesTheRowAndWhatWasAsked) {
  try {
    checked(kInfinity, counts())->quantile(0.975);
    FAIL();
  } catch (const NumericalError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("row 7: the 0.975 quantile is beyond the range of doubles; the latent "
                          "function there is 2 with standard deviation 3"));
  }
}

}  // namespace
}  // namespace ggpm::internal
