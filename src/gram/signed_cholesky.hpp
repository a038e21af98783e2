// Factors M = J + S K S, where P = S J S are site precisions of any sign and J = sign(P).
//
// For P > 0 this is the usual B = I + P^1/2 K P^1/2, whose eigenvalues are at least 1: duplicated
// rows and a singular K need no jitter. With k negative precisions (a likelihood that is not
// log-concave) the rows are ordered positive first, and
//   M = L J L^T,   L lower triangular with positive diagonal,
// exists exactly if K^-1 + P is positive definite: the Schur complement of the positive rows is
// I - S V S over the negative ones, V the posterior covariance given the positive sites, with a
// minus sign. So an improper Gaussian shows as a failed pivot, at the cost of one Cholesky
// factorization and with level-3 BLAS throughout.
#pragma once

#include <vector>

#include "ggpm/types.hpp"
#include "index.hpp"

namespace ggpm::internal {

// A precision of exactly 0 stands for 1e-300: far below any effect, far above underflow of its root.
inline constexpr double kSmallestScale = 1e-150;

class SignedCholesky {
 public:
  enum class Status { ok, improper, indefinite, not_finite };  // indefinite: K itself is to blame

  Status factor(const Matrix& K,  // (n, n) symmetric, full
                const Vector& precision);

  Index size() const { return scale_.size(); }
  double log_determinant() const;  // log |I + K P| = log |det M|

  // x <- S M^-1 J S^-1 x = (I + P K)^-1 x
  void shrink(Vector& x) const;
  // alpha = (K + P^-1)^-1 (P^-1 shift - m), without forming P^-1.
  Vector alpha(const Vector& precision, const Vector& shift, const Vector& prior_mean) const;

  // A (n, k), rows in the order of the data, becomes L^-1 S A (rows ordered); then the columns give
  // A^T (K + P^-1)^-1 A = sum_k sign(k) row_k^T row_k.
  void half_solve(Matrix& A) const;
  double sign(Index ordered_row) const { return ordered_row < positive_ ? 1.0 : -1.0; }
  Index positive() const { return positive_; }  // ordered rows below this have sign +

  // A (n, k), rows in the order of the data: A <- (K + P^-1)^-1 A, and A <- (I + K P)^-1 A.
  void solve(Matrix& A) const;
  void shrink_transposed(Matrix& A) const;

  // Y = L^-1, lower half.
  void inverse_triangle(Matrix& Y) const;
  // b_i = sign_i [M^-1]_ii from Y = L^-1.
  Vector inverse_diagonal(const Matrix& Y) const;
  // Y = L^-1 becomes the lower half of M^-1, in place.
  void inverse(Matrix& Y) const;

  const std::vector<Index>& order() const { return order_; }  // ordered row -> row of the data
  bool reordered() const { return positive_ != size(); }
  const Vector& scale() const { return scale_; }  // S, in the order of the data

 private:
  void solve(Vector& ordered) const;   // M^-1
  void finish_solve(Matrix& A) const;  // L^-1 S A becomes M^-1 S A, rows ordered
  template <class Factor>              // factor(ordered row)
  void to_data(Matrix& A, const Factor& factor) const;

  Matrix F_;  // L, lower half
  Vector scale_;
  std::vector<Index> order_;
  Index positive_ = 0;
};

}  // namespace ggpm::internal
