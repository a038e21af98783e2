#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "ggpm/score.hpp"

namespace ggpm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Every pair.
double by_pairs(const std::vector<Lifetime>& rows) {
  double concordant = 0, comparable = 0;
  for (const Lifetime& i : rows)
    for (const Lifetime& j : rows) {
      const bool before = i.upper < j.lower || (i.upper == j.lower && j.lower < j.upper);
      if (!before) continue;
      ++comparable;
      concordant += i.predicted < j.predicted ? 1 : i.predicted == j.predicted ? 0.5 : 0;
    }
  return concordant / comparable;
}

TEST(Concordance, IsThatOfAllPairsWhoseOrderIsKnown) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Lifetime> rows;
    for (int i = 0; i < 80; ++i) {
      const auto whole = [&](std::uint64_t most) { return static_cast<double>(random() % most); };
      const double time = whole(15);  // with ties
      const double predicted = std::floor(time / 2) + whole(8);
      switch (random() % 4) {
        case 0:
          rows.push_back({time, kInfinity, predicted});
          break;
        case 1:
          rows.push_back({-kInfinity, time, predicted});
          break;
        case 2:
          rows.push_back({time, time + 1 + whole(4), predicted});
          break;
        default:
          rows.push_back({time, time, predicted});
      }
    }
    EXPECT_NEAR(concordance(rows), by_pairs(rows), 1e-12);
  }
}

TEST(Concordance, OfRowsThatCannotBeComparedIsNotANumber) {
  EXPECT_TRUE(std::isnan(concordance({})));
  EXPECT_TRUE(std::isnan(concordance({{1, kInfinity, 0}, {2, kInfinity, 0}})));
  EXPECT_EQ(concordance({{1, 1, 0}, {2, 2, 5}}), 1);
  EXPECT_EQ(concordance({{1, 1, 3}, {1, kInfinity, 3}}), 0.5);
}

}  // namespace
}  // namespace ggpm
