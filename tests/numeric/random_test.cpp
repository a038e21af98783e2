#include "numeric/random.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace ggpm::internal::numeric {
namespace {

TEST(Random, UniformNumbersAreInsideTheOpenInterval) {
  EXPECT_EQ(to_uniform(0), 0x1p-54);
  EXPECT_EQ(to_uniform(~std::uint64_t{0}), 1 - 0x1p-53);
  EXPECT_EQ(to_uniform(std::uint64_t{1} << 63U), 0.5);  // half a step above is lost in rounding
}

// Written out, so that a change of the generator shows: results for a seed are promised.
TEST(Random, ASeedGivesTheSameNumbersForEver) {
  std::mt19937_64 random(1);
  EXPECT_EQ(random(), 2469588189546311528U);
  EXPECT_EQ(random_stream(1, 0)(), random_stream(1, 0)());
  std::mt19937_64 first(7), second(7);
  EXPECT_EQ(shuffled(20, first), shuffled(20, second));
  EXPECT_EQ(some_of(50, 9, 3), some_of(50, 9, 3));
}

TEST(Random, StreamsOfASeedDiffer) {
  std::set<std::uint64_t> firsts;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32U})
    for (std::uint64_t stream = 0; stream < 50; ++stream)
      firsts.insert(random_stream(seed, stream)());
  EXPECT_EQ(firsts.size(), 150U);
}

TEST(Random, BelowIsAsLikelyForEachOfThem) {
  std::mt19937_64 random(2);
  std::vector<double> counts(7);
  constexpr double kDraws = 70000;
  for (int i = 0; i < kDraws; ++i) ++counts[uniform_below(7, random)];
  double chi2 = 0;
  for (const double count : counts) chi2 += std::pow(count - kDraws / 7, 2) / (kDraws / 7);
  EXPECT_LT(chi2, 22.5);  // 6 degrees of freedom: 0.1 %
  EXPECT_EQ(uniform_below(1, random), 0U);
}

TEST(Random, ShufflesAreOrdersAndAllOfThemOccur) {
  std::mt19937_64 random(3);
  std::set<std::vector<Index>> seen;
  for (int i = 0; i < 300; ++i) {
    std::vector<Index> order = shuffled(4, random);
    seen.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 3}));
  }
  EXPECT_EQ(seen.size(), 24U);
  EXPECT_TRUE(shuffled(0, random).empty());
}

TEST(Random, SomeOfThemAreDifferentAscendingAndEachMayOccur) {
  std::vector<int> taken(10);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<Index> some = some_of(10, 3, seed);
    ASSERT_EQ(some.size(), 3U);
    EXPECT_TRUE(some[0] < some[1] && some[1] < some[2]);
    for (const Index i : some) ++taken.at(static_cast<std::size_t>(i));
  }
  for (const int times : taken) EXPECT_NEAR(times, 60, 30);
  EXPECT_EQ(some_of(3, 3, 1), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(some_of(2, 5, 1), (std::vector<Index>{0, 1}));
}

}  // namespace
}  // namespace ggpm::internal::numeric
