#include "support/algebra.hpp"

#include <Eigen/Dense>

#include "support/close.hpp"

namespace ggpm::testing_support {

Matrix inverse_of(const Matrix& A) { return A.inverse(); }
double determinant_of(const Matrix& A) { return A.determinant(); }
Vector pivots_of(const Matrix& A) { return A.partialPivLu().matrixLU().diagonal(); }
Vector eigenvalues_of(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}
Matrix cholesky_of(const Matrix& A) { return A.llt().matrixL(); }
Matrix solved(const Matrix& A, const Matrix& B) { return A.ldlt().solve(B); }

testing::AssertionResult are_close(const Matrix& actual, const Matrix& expected, double tolerance) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols())
    return testing::AssertionFailure() << "shape " << actual.rows() << " x " << actual.cols()
                                       << " is not " << expected.rows() << " x " << expected.cols();
  for (Index j = 0; j < actual.cols(); ++j)
    for (Index i = 0; i < actual.rows(); ++i)
      if (!close(actual(i, j), expected(i, j), tolerance))
        return is_close(actual(i, j), expected(i, j), tolerance)
               << " at (" << i << ", " << j << ")";
  return testing::AssertionSuccess();
}

}  // namespace ggpm::testing_support
