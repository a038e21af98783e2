// The small dense problems that LAPACK solves for us.
#include "gram/lapack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ggpm::internal {
namespace {

Matrix random_matrix(Index rows, Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix A(rows, columns);
  for (double& value : A.reshaped()) value = normal(random);
  return A;
}

TEST(Lapack, EigenvectorsRebuildTheMatrix) {
  for (const Index n : {1, 2, 7, 40}) {
    const Matrix B = random_matrix(n, n, 3), A = B + B.transpose();
    Matrix V = A.triangularView<Eigen::Lower>();  // the upper half is not read
    const Vector values = lapack::eigen_symmetric(V);
    EXPECT_LT((V * values.asDiagonal() * V.transpose() - A).norm(), 1e-12 * A.norm());
    EXPECT_LT((V.transpose() * V - Matrix::Identity(n, n)).norm(), 1e-12 * static_cast<double>(n));
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  }
}

}  // namespace
}  // namespace ggpm::internal
