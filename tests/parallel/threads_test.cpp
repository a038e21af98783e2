// Rows in threads: every row once, errors arrive, and the bits are those of one thread.
#include "parallel/threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "inference/rows.hpp"
#include "support/gram_of.hpp"

namespace ggpm::internal {
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
          if (threads > 1) {
            EXPECT_LE(end - begin, std::max(block, Index{1}));
          }
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

// Rows that are worth a thread.
void work() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

TEST(ForRows, DoesEveryRowOnce) {
  for (const int threads : {1, 3}) {
    const BlasThreads blas(threads);
    for (const Index count : {0, 1, 64, 65, 1000}) {
      std::vector<int> done(static_cast<std::size_t>(count), 0);
      for_rows(count, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) ++done[static_cast<std::size_t>(i)];
        work();
      });
      EXPECT_EQ(done, std::vector<int>(static_cast<std::size_t>(count), 1)) << threads;
    }
  }
}

TEST(BlasThreads, TheSmallestOfThoseAliveDecides) {
  const int before = openblas_get_num_threads();
  {
    const BlasThreads outer(4);
    EXPECT_EQ(openblas_get_num_threads(), 4);
    {
      const BlasThreads inner(2);
      EXPECT_EQ(openblas_get_num_threads(), 2);
      const BlasThreads more(3);
      EXPECT_EQ(openblas_get_num_threads(), 2);
      const SmallMatrices small(100);
      EXPECT_EQ(openblas_get_num_threads(), 1);
      EXPECT_EQ(default_threads(), 2) << "rows keep their threads";
    }
    const SmallMatrices large(5000);
    EXPECT_EQ(openblas_get_num_threads(), 4);
  }
  EXPECT_EQ(openblas_get_num_threads(), before);
  EXPECT_EQ(default_threads(), before);
  {
    const SmallMatrices small(100);
    EXPECT_EQ(default_threads(), before);
  }
  EXPECT_EQ(openblas_get_num_threads(), before);
}

TEST(ForRows, PassesAnErrorOn) {
  const BlasThreads blas(3);
  const auto fails = [](Index, Index end) {
    work();
    if (end == 1000) throw DataError("the last");
  };
  EXPECT_THROW(for_rows(1000, fails), DataError);
}

TEST(ForRows, GivesTheBitsOfOneThread) {
  const auto likelihood = make_likelihood("beta");
  constexpr Index kRows = 500;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Vector mean(kRows), variance(kRows);
  std::vector<Row> rows(kRows);
  for (Index i = 0; i < kRows; ++i) {
    mean[i] = normal(random);
    variance[i] = 0.1 + normal(random) * normal(random) * 0.01;
    rows[static_cast<std::size_t>(i)].y = 1 / (1 + std::exp(-mean[i] + 0.3 * normal(random)));
  }
  variance = variance.cwiseMax(0.01);
  const testing_support::GramOf gram(Matrix::Identity(1, 1));
  const InferenceOptions options;
  const Problem problem{*gram, *likelihood, rows, mean, options};
  std::vector<Tilted> one(kRows), three(kRows);
  {
    const BlasThreads blas(1);
    tilted(problem, mean, variance, one, Dphi::wanted);
  }
  {
    const BlasThreads blas(3);
    tilted(problem, mean, variance, three, Dphi::wanted);
  }
  EXPECT_EQ(std::memcmp(one.data(), three.data(), kRows * sizeof(Tilted)), 0);
}

}  // namespace
}  // namespace ggpm::internal
