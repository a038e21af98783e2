// However K is computed, with narrow registers or in threads, it is the same K.
#include <gtest/gtest.h>

#include <utility>

#include "kernel/tiles/simd.hpp"
#include "parallel/threads.hpp"
#include "support.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

class NarrowRegisters {
 public:
  explicit NarrowRegisters(int bytes) : before_(std::exchange(kern::simd::bytes(), bytes)) {}
  ~NarrowRegisters() { kern::simd::bytes() = before_; }
  NarrowRegisters(const NarrowRegisters&) = delete;
  NarrowRegisters& operator=(const NarrowRegisters&) = delete;

 private:
  int before_;
};

TEST(KernelEvaluation, IsTheSameWithEveryWidthOfRegisters) {
  Random random(1);
  SCOPED_TRACE(random.trace());
  for (const std::string& text : leaf_texts())
    for (const Index d : {1, 5, 12, 14}) {  // the last by a matrix product
      const Kernel kernel = Kernel::parse(text).bind(d);
      const Index n = 137;  // a multiple of no register
      const Matrix X = random.matrix(n, d), Kbar = random.symmetric(n);
      Matrix K, narrow;
      kernel.gram(X, K);
      const Vector gradient = kernel.pull_back(X, Kbar);
      const double size = gradient.cwiseAbs().maxCoeff() + Kbar.cwiseAbs().sum();
      for (const int bytes : {16, 32}) {
        if (bytes > kern::simd::widest()) continue;
        const NarrowRegisters registers(bytes);
        kernel.gram(X, narrow);
        EXPECT_LT((narrow - K).cwiseAbs().maxCoeff(), 1e-12 * K.cwiseAbs().maxCoeff())
            << text << ", " << d << " inputs, " << bytes << " bytes";
        EXPECT_LT((kernel.pull_back(X, Kbar) - gradient).cwiseAbs().maxCoeff(), 1e-13 * size)
            << text << ", " << d << " inputs, " << bytes << " bytes";
      }
    }
}

TEST(KernelEvaluation, HasTheSameBitsForAnyNumberOfThreads) {
  Random random(2);
  SCOPED_TRACE(random.trace());
  for (const Index n : {399, 400, 1001}) {
    const Kernel kernel = Kernel::parse("rbf(1.3, 0.8, ard=true) * matern32 + white(0.3)").bind(3);
    const Matrix X = random.matrix(n, 3), Kbar = random.symmetric(n);
    Matrix one, some;
    Vector gradient_of_one, gradient_of_some;
    {
      const BlasThreads threads(1);
      kernel.gram(X, one);
      gradient_of_one = kernel.pull_back(X, Kbar);
    }
    {
      const BlasThreads threads(5);
      kernel.gram(X, some);
      gradient_of_some = kernel.pull_back(X, Kbar);
    }
    EXPECT_EQ(one, some) << n << " rows";
    EXPECT_EQ(one, one.transpose()) << n << " rows";
    EXPECT_EQ(gradient_of_one, gradient_of_some) << n << " rows";
  }
}

// Tall, wide and small; with more inputs distances come from matrix products.
TEST(KernelEvaluation, OfNewRowsHasTheSameBitsForAnyNumberOfThreads) {
  Random random(3);
  SCOPED_TRACE(random.trace());
  for (const Index d : {3, 15})
    for (const auto& [n, m] : {std::pair<Index, Index>{1500, 130}, {90, 2001}, {50, 60}, {0, 7}}) {
      const Kernel kernel = Kernel::parse("rbf(1.3, 0.8, ard=true) * matern32 + linear").bind(d);
      const Matrix X = random.matrix(n, d), Z = random.matrix(m, d), Kbar = random.matrix(n, m);
      Matrix one, some, column;
      Vector gradient_of_one, gradient_of_some;
      {
        const BlasThreads threads(1);
        kernel.cross(X, Z, one);
        gradient_of_one = kernel.pull_back_cross(X, Z, Kbar);
      }
      {
        const BlasThreads threads(5);
        kernel.cross(X, Z, some);
        gradient_of_some = kernel.pull_back_cross(X, Z, Kbar);
      }
      EXPECT_EQ(one, some) << n << " x " << m;
      EXPECT_EQ(gradient_of_one, gradient_of_some) << n << " x " << m;
      // Every entry is where it should be: column by column, which is one part.
      double by_columns = 0;
      for (Index j = 0; j < m && n > 0; j += 97) {
        kernel.cross(X, Z.row(j), column);
        by_columns = std::max(by_columns, (column - one.col(j)).cwiseAbs().maxCoeff());
      }
      EXPECT_LT(by_columns, 1e-12 * std::max(1.0, double(n))) << n << " x " << m;
      if (n == 0) continue;
      Vector sum = Vector::Zero(gradient_of_one.size());
      for (Index j = 0; j < m; ++j) sum += kernel.pull_back_cross(X, Z.row(j), Kbar.col(j));
      EXPECT_LT((sum - gradient_of_one).cwiseAbs().maxCoeff(),
                1e-12 * one.cwiseProduct(Kbar).cwiseAbs().sum())
          << n << " x " << m;
    }
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
