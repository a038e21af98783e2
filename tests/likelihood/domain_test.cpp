#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ggpm/data.hpp"
#include "ggpm/likelihood.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

using testing::HasSubstr;

DomainGuess guess(std::initializer_list<double> values, bool has_trials = false) {
  return recognize_domain(Eigen::Map<const Vector>(std::data(values), std::ssize(values)),
                          has_trials);
}

TEST(Domain, IsRecognizedWithItsReason) {
  EXPECT_EQ(guess({0, 1, 1}).reason, "3 rows, all 0 or 1, 2 are 1 → binary");
  EXPECT_EQ(guess({0, 37, 2}).reason, "3 rows, all whole numbers 0…37 → count");
  EXPECT_EQ(guess({0.2, 0.9}).reason, "2 rows, all between 0 and 1: 0.2…0.9 → proportion");
  EXPECT_EQ(guess({0.2, 9}).reason, "2 rows, all positive: 0.2…9 → positive");
  EXPECT_EQ(guess({-1, 2}).reason, "2 rows, 1 of them negative: -1…2 → real");
  EXPECT_EQ(guess({0, 2.5}).reason,
            "2 rows, 1 of them 0, the others positive: 0…2.5 → nonnegative");
  EXPECT_EQ(guess({7}).reason, "1 row, all whole numbers 7 → count");
}

TEST(Domain, MatchesTheReason) {
  EXPECT_EQ(guess({0, 1}).domain, Domain::binary);
  EXPECT_EQ(guess({1, 1}).domain, Domain::binary);
  EXPECT_EQ(guess({3, 0}).domain, Domain::count);
  EXPECT_EQ(guess({0.5}).domain, Domain::proportion);
  EXPECT_EQ(guess({5e-324, 1}).domain, Domain::real);
  EXPECT_EQ(guess({5e-324, 2}).domain, Domain::positive);
  EXPECT_EQ(guess({-3, 0}).domain, Domain::real);
  EXPECT_EQ(guess({3.0000001, 0}).domain, Domain::nonnegative);
}

TEST(Domain, SaysWhyFractionsWithEdgesAreNoProportions) {
  const DomainGuess edges = guess({0, 0.5, 1});
  EXPECT_EQ(edges.domain, Domain::real);
  EXPECT_THAT(edges.reason, HasSubstr("2 are exactly 0 or 1"));
}

TEST(Domain, TakesSuccessesOfTrials) {
  EXPECT_EQ(guess({0, 2, 1}, true).domain, Domain::fraction_of_trials);
  EXPECT_EQ(guess({0, 0.5, 1}, true).domain, Domain::fraction_of_trials);
  EXPECT_EQ(guess({0, 1, 1}, true).domain, Domain::fraction_of_trials);
}

TEST(Domain, DoesNotCountBeyondExactWholeNumbers) {
  EXPECT_EQ(guess({9007199254740992.0}).domain, Domain::count);
  EXPECT_EQ(guess({9007199254740994.0}).domain, Domain::positive);
}

TEST(Domain, SuggestsZeroAndOneForTwoClasses) {
  EXPECT_THAT(guess({1, 2, 2}).reason, HasSubstr("count (if these are two classes"));
}

TEST(Domain, RefusesNoRowsAndNoNumbers) {
  EXPECT_THROW(recognize_domain(Vector()), DataError);
  EXPECT_THROW(guess({1, NAN}), DataError);
  EXPECT_THROW(guess({1, INFINITY}), DataError);
}

TEST(Domain, OfRealData) {
  const auto domain_of = [](const std::string& file, const std::string& target) {
    return recognize_domain(
               numeric_column(read_csv(testing_support::data_file(file).string()), target))
        .domain;
  };
  GGPM_REQUIRE_DATA("coal_disasters.csv");
  EXPECT_EQ(domain_of("coal_disasters.csv", "disasters"), Domain::count);
  EXPECT_EQ(domain_of("pima.csv", "diabetes"), Domain::binary);
  EXPECT_EQ(domain_of("munsell.csv", "r550"), Domain::proportion);
  EXPECT_EQ(domain_of("yacht_resistance.csv", "resistance"), Domain::positive);
  EXPECT_EQ(domain_of("mcycle.csv", "accel"), Domain::real);
}

}  // namespace
}  // namespace ggpm
