// The small dense problems that LAPACK solves for us.
#include "gram/lapack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "parallel/stop.hpp"

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

// Beyond 3,000 rows by halves, between which a wish to stop is heard.
TEST(Lapack, LargeMatricesAreFactoredInPieces) {
  constexpr Index kRows = 3011;
  const Matrix B = random_matrix(kRows, 10, 3);
  const Vector x = random_matrix(kRows, 1, 4);
  Matrix A = B * B.transpose();
  A.diagonal().array() += 10;
  Matrix L = A;
  ASSERT_TRUE(lapack::cholesky(L));
  const Vector Ax = B * (B.transpose() * x) + 10 * x;
  const Matrix lower = L.triangularView<Eigen::Lower>();
  EXPECT_LT((lower * (lower.transpose() * x) - Ax).norm(), 1e-11 * Ax.norm());
  Matrix Y = L;
  lapack::invert_triangle(Y);
  EXPECT_LT((Y.triangularView<Eigen::Lower>() * Vector(lower * x) - x).norm(), 1e-11 * x.norm());
  lapack::multiply_transpose(Y);
  Vector back;
  lapack::multiply_symmetric(Y, Ax, back);
  EXPECT_LT((back - x).norm(), 1e-10 * x.norm());
  A(kRows - 1, kRows - 1) = -1;
  EXPECT_FALSE(lapack::cholesky(A));

  const std::atomic<bool> stop{true};
  const StopSignal signal(&stop);
  EXPECT_THROW(lapack::cholesky(L), StopRun);
  EXPECT_THROW(lapack::multiply_transpose(Y), StopRun);
}

TEST(Lapack, LeastSquaresLeaveAResidualThatIsOrthogonalToTheColumns) {
  for (const Index columns : {1, 3, 6}) {
    const Matrix A = random_matrix(10, columns, 5);
    const Vector b = random_matrix(10, 1, 6);
    Matrix used = A;
    const Vector x = lapack::least_squares(used, b, 1e-10);
    ASSERT_EQ(x.size(), columns);
    EXPECT_LT((A.transpose() * (A * x - b)).norm(), 1e-12 * b.norm());
  }
}

TEST(Lapack, LeastSquaresTakeTheShortestAnswerWhereColumnsRepeat) {
  const Vector a = random_matrix(8, 1, 7), b = random_matrix(8, 1, 8);
  Matrix A(8, 3);
  A << a, a, Vector::Zero(8);
  const Vector x = lapack::least_squares(A, b, 1e-10);
  const double half = a.dot(b) / a.squaredNorm() / 2;
  EXPECT_NEAR(x[0], half, 1e-12);
  EXPECT_NEAR(x[1], half, 1e-12);
  EXPECT_EQ(x[2], 0);
  Matrix nothing = Matrix::Zero(8, 2);
  EXPECT_EQ(lapack::least_squares(nothing, b, 1e-10), Vector::Zero(2));
}

}  // namespace
}  // namespace ggpm::internal
