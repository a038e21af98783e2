#include "ggpm/splits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace ggpm {
namespace {

void expect_partition(const Split& split, Index rows) {
  std::set<Index> all(split.train.begin(), split.train.end());
  all.insert(split.test.begin(), split.test.end());
  EXPECT_EQ(static_cast<Index>(split.train.size() + split.test.size()), rows);
  EXPECT_EQ(static_cast<Index>(all.size()), rows);
  EXPECT_EQ(*all.begin(), 0);
  EXPECT_EQ(*all.rbegin(), rows - 1);
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
}

TEST(RandomSplits, PartTheRowsAndDependOnTheSeedAlone) {
  const std::vector<Split> splits = random_splits(50, 35, 8, 3);
  ASSERT_EQ(splits.size(), 8U);
  for (const Split& split : splits) {
    expect_partition(split, 50);
    EXPECT_EQ(split.train.size(), 35U);
  }
  EXPECT_NE(splits[0].test, splits[1].test);
  EXPECT_EQ(random_splits(50, 35, 8, 3)[7].test, splits[7].test);
  EXPECT_NE(random_splits(50, 35, 8, 4)[0].test, splits[0].test);
  // More splits begin with the same ones, so that a study can be enlarged.
  EXPECT_EQ(random_splits(50, 35, 3, 3)[2].test, splits[2].test);
}

TEST(KFolds, TestEveryRowOnceInEachRepeat) {
  for (const Index rows : {10, 11, 13}) {
    const std::vector<Split> splits = k_folds(rows, 4, 2, 1);
    ASSERT_EQ(splits.size(), 8U);
    for (int repeat = 0; repeat < 2; ++repeat) {
      std::multiset<Index> tested;
      for (int fold = 0; fold < 4; ++fold) {
        const Split& split = splits[static_cast<std::size_t>(4 * repeat + fold)];
        expect_partition(split, rows);
        tested.insert(split.test.begin(), split.test.end());
        EXPECT_NEAR(static_cast<double>(split.test.size()), static_cast<double>(rows) / 4, 1);
      }
      EXPECT_EQ(static_cast<Index>(tested.size()), rows);
      EXPECT_EQ(static_cast<Index>(std::set(tested.begin(), tested.end()).size()), rows);
    }
  }
}

TEST(RandomSplits, AreUniform) {
  std::vector<int> tested(6, 0);
  for (const Split& split : random_splits(6, 4, 6000, 11))
    for (const Index i : split.test) ++tested[static_cast<std::size_t>(i)];
  for (const int count : tested) EXPECT_NEAR(count, 2000, 5 * 37);  // sd 36.5
}

TEST(Splits, RefuseWhatLeavesASideEmpty) {
  EXPECT_THROW(random_splits(10, 10, 1, 1), UsageError);
  EXPECT_THROW(random_splits(10, 0, 1, 1), UsageError);
  EXPECT_THROW(k_folds(3, 4, 1, 1), UsageError);
}

TEST(GroupFolds, KeepEveryGroupOnOneSide) {
  std::vector<Index> groups;
  for (Index i = 0; i < 60; ++i) groups.push_back(i % 7 == 0 ? 0 : i % 11);
  const std::vector<Split> splits = group_folds(groups, 4, 2, 5);
  ASSERT_EQ(splits.size(), 8U);
  for (const Split& split : splits) {
    expect_partition(split, 60);
    EXPECT_FALSE(split.test.empty());
    for (const Index a : split.train)
      for (const Index b : split.test)
        EXPECT_NE(groups[static_cast<std::size_t>(a)], groups[static_cast<std::size_t>(b)]);
  }
  EXPECT_THROW(group_folds(groups, 12, 1), UsageError);
}

TEST(ForwardSplits, PredictTheFutureFromThePast) {
  Vector times(40);
  for (Index i = 0; i < 40; ++i) times[i] = static_cast<double>((i * 7) % 20);  // two rows a time
  const std::vector<Split> splits = forward_splits(times, 4);
  ASSERT_EQ(splits.size(), 4U);
  for (const Split& split : splits) {
    EXPECT_EQ(split.test.size(), 8U);
    for (const Index a : split.train)
      for (const Index b : split.test) EXPECT_LT(times[a], times[b]);
  }
  EXPECT_EQ(splits.front().train.size(), 8U);
  EXPECT_EQ(splits.back().train.size(), 32U);
  EXPECT_THROW(forward_splits(Vector::Ones(10), 2), UsageError);
}

TEST(SpatialBlocks, AreOfNeighborsAndOfOneSize) {
  Matrix places(64, 2);
  for (Index i = 0; i < 64; ++i)
    places.row(i) << static_cast<double>(i % 8), 0.1 * static_cast<double>(i / 8);
  const std::vector<Index> blocks = spatial_blocks(places, 8);
  std::map<Index, std::vector<Index>> rows;
  for (std::size_t i = 0; i < 64; ++i) rows[blocks[i]].push_back(static_cast<Index>(i));
  EXPECT_EQ(rows.size(), 8u);
  for (const auto& [block, members] : rows) {
    EXPECT_EQ(members.size(), 8u);
    const Vector x = places(members, 0);
    EXPECT_EQ(x.maxCoeff(), x.minCoeff()) << "cut where it is widest";
  }
  EXPECT_THROW(spatial_blocks(places, 65), UsageError);
  EXPECT_THROW(spatial_blocks(places, 0), UsageError);
}

}  // namespace
}  // namespace ggpm
