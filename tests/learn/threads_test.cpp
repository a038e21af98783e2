// Rows in threads: every row once, errors arrive, and the bits are those of one thread.
#include "parallel/threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <random>

#include "inference/rows.hpp"
#include "support/gram_of.hpp"

namespace ggpm {
namespace {

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
}  // namespace ggpm
