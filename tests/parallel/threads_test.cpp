#include "parallel/threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace ggpm {
namespace {

using Times = std::vector<std::atomic<int>>;

void count(Times& times, Index begin, Index end) {
  ASSERT_LT(begin, end);
  for (Index i = begin; i < end; ++i) ++times.at(static_cast<std::size_t>(i));
}

TEST(Threads, BlocksCoverEverythingOnce) {
  for (const Index rows : {0, 1, 15, 16, 17, 100})
    for (const Index block : {1, 16, 1000})
      for (const int threads : {1, 2, 7}) {
        Times times(static_cast<std::size_t>(rows));
        for_blocks(rows, block, threads, [&](Index begin, Index end) {
          count(times, begin, end);
          if (threads > 1) EXPECT_LE(end - begin, std::max(block, Index{1}));
        });
        for (const auto& once : times) EXPECT_EQ(once, 1) << rows << " " << block << " " << threads;
      }
}

TEST(Threads, OneThreadGetsOneBlock) {
  int calls = 0;
  for_blocks(100, 3, 1, [&](Index, Index) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(Threads, AnExceptionOfABlockReachesTheCaller) {
  EXPECT_THROW(for_blocks(100,
                          1,
                          4,
                          [](Index begin, Index) {
                            if (begin == 50) throw std::runtime_error("row 50");
                          }),
               std::runtime_error);
}

TEST(Threads, RowsAndColumnsAreCoveredOnce) {
  const BlasThreads two(2);
  for (const Index n : {1, 64, 65, 799, 800, 1500}) {
    Times rows(static_cast<std::size_t>(n)), columns(static_cast<std::size_t>(n));
    for_rows(n, [&](Index begin, Index end) { count(rows, begin, end); });
    for_columns(n, [&](Index begin, Index end) { count(columns, begin, end); });
    for (const auto& once : rows) EXPECT_EQ(once, 1) << n;
    for (const auto& once : columns) EXPECT_EQ(once, 1) << n;
  }
}

TEST(BlasThreads, TheSmallestOfThoseAliveDecidesAndTheLastRestores) {
  const int before = openblas_get_num_threads(), usual = default_threads();
  {
    const BlasThreads two(2);
    EXPECT_EQ(default_threads(), 2);
    {
      const BlasThreads one(1), three(3);
      EXPECT_EQ(default_threads(), 1);
      EXPECT_EQ(openblas_get_num_threads(), 1);
    }
    EXPECT_EQ(default_threads(), 2);
  }
  EXPECT_EQ(openblas_get_num_threads(), before);
  EXPECT_EQ(default_threads(), usual);
}

TEST(BlasThreads, SmallMatricesTakeBlasAloneToOneThread) {
  const int before = openblas_get_num_threads();
  {
    const BlasThreads two(2);
    {
      const SmallMatrices small(100);
      EXPECT_EQ(openblas_get_num_threads(), 1);
      EXPECT_EQ(default_threads(), 2);
      const SmallMatrices large(5000);  // changes nothing
      EXPECT_EQ(openblas_get_num_threads(), 1);
    }
    const SmallMatrices large(5000);
    EXPECT_EQ(default_threads(), 2);
  }
  EXPECT_EQ(openblas_get_num_threads(), before);
}

}  // namespace
}  // namespace ggpm
