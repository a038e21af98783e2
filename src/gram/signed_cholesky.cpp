#include "gram/signed_cholesky.hpp"

#include <cmath>

#include "gram/lapack.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
SignedCholesky::Status SignedCholesky::factor(const Matrix& K, const Vector& precision) {
  const Index n = precision.size();
  if (!precision.allFinite()) return Status::not_finite;
  scale_ = precision.cwiseAbs().cwiseSqrt().cwiseMax(kSmallestScale);
  order_.clear();
  for (Index i = 0; i < n; ++i)
    if (precision[i] >= 0) order_.push_back(i);
  positive_ = static_cast<Index>(order_.size());
  for (Index i = 0; i < n; ++i)
    if (precision[i] < 0) order_.push_back(i);

  F_.resize(n, n);
  for_columns(n, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const Index column = order_[at(j)];
      const Index length = n - j;
      if (reordered()) {
        for (Index i = j; i < n; ++i) {
          const Index row = order_[at(i)];
          F_(i, j) = scale_[row] * K(row, column) * scale_[column];
        }
      } else {
        F_.col(j).tail(length) =
            scale_.tail(length).cwiseProduct(K.col(column).tail(length)) * scale_[column];
      }
      F_(j, j) += sign(j);
    }
  });

  const Index p = positive_, q = n - p;
  if (!lapack::cholesky(F_.topLeftCorner(p, p))) return Status::indefinite;
  if (q > 0) {
    lapack::solve_right_transposed(F_.topLeftCorner(p, p), F_.bottomLeftCorner(q, p));
    auto schur = F_.bottomRightCorner(q, q);
    schur.triangularView<Eigen::Lower>() = -schur;
    lapack::add_outer(1.0, F_.bottomLeftCorner(q, p), schur);
    if (!lapack::cholesky(schur)) return Status::improper;
  }
  // LAPACK reports no NaN; one anywhere in the row makes the pivot of that row NaN.
  return F_.diagonal().allFinite() ? Status::ok : Status::not_finite;
}

double SignedCholesky::log_determinant() const { return 2 * F_.diagonal().array().log().sum(); }

void SignedCholesky::solve(Vector& ordered) const {
  lapack::solve(F_, ordered);
  ordered.tail(size() - positive_) *= -1;
  lapack::solve_transposed(F_, ordered);
}

void SignedCholesky::shrink(Vector& x) const {
  const Index n = size();
  Vector ordered(n);
  for (Index i = 0; i < n; ++i) {
    const Index row = order_[at(i)];
    ordered[i] = sign(i) * x[row] / scale_[row];
  }
  solve(ordered);
  for (Index i = 0; i < n; ++i) {
    const Index row = order_[at(i)];
    x[row] = scale_[row] * ordered[i];
  }
}

Vector SignedCholesky::alpha(const Vector& precision,
                             const Vector& shift,
                             const Vector& prior_mean) const {
  // (K + P^-1)^-1 P^-1 = (I + P K)^-1
  Vector x = shift - precision.cwiseProduct(prior_mean);
  shrink(x);
  return x;
}

// Rows of a matrix without columns, which a leaf below no points hands in, have no place in memory.
void SignedCholesky::half_solve(Matrix& A) const {
  if (A.cols() == 0) return;
  if (reordered()) {
    const Matrix unordered = A;
    for (Index i = 0; i < size(); ++i) {
      const Index row = order_[at(i)];
      A.row(i) = scale_[row] * unordered.row(row);
    }
  } else {
    A.array().colwise() *= scale_.array();
  }
  lapack::solve_left(F_, A);
}

void SignedCholesky::finish_solve(Matrix& A) const {
  if (A.cols() == 0) return;
  A.bottomRows(size() - positive_) *= -1;
  lapack::solve_left_transposed(F_, A);
}

// Rows back in the order of the data, each times its factor.
template <class Factor>
void SignedCholesky::to_data(Matrix& A, const Factor& factor) const {
  if (A.cols() == 0) return;
  if (!reordered()) {
    for (Index j = 0; j < A.cols(); ++j)
      for (Index i = 0; i < size(); ++i) A(i, j) *= factor(i);
    return;
  }
  const Matrix ordered = A;
  for (Index i = 0; i < size(); ++i) A.row(order_[at(i)]) = factor(i) * ordered.row(i);
}

// S M^-1 S A
void SignedCholesky::solve(Matrix& A) const {
  half_solve(A);
  finish_solve(A);
  to_data(A, [&](Index i) { return scale_[order_[at(i)]]; });
}

// S^-1 J M^-1 S A
void SignedCholesky::shrink_transposed(Matrix& A) const {
  half_solve(A);
  finish_solve(A);
  to_data(A, [&](Index i) { return sign(i) / scale_[order_[at(i)]]; });
}

void SignedCholesky::inverse_triangle(Matrix& Y) const {
  const Index n = size();
  Y.resize(n, n);
  for_columns(n, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) Y.col(j).tail(n - j) = F_.col(j).tail(n - j);
  });
  lapack::invert_triangle(Y);
}

Vector SignedCholesky::inverse_diagonal(const Matrix& Y) const {
  const Index n = size();
  Vector b(n);
  for_columns(n, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const double plus = i < positive_ ? Y.col(i).segment(i, positive_ - i).squaredNorm() : 0.0;
      const Index first_minus = std::max(i, positive_);
      const double minus = Y.col(i).segment(first_minus, n - first_minus).squaredNorm();
      b[order_[at(i)]] = sign(i) * (plus - minus);
    }
  });
  return b;
}

void SignedCholesky::inverse(Matrix& Y) const {
  const Index n = size(), p = positive_, q = n - p;
  lapack::multiply_transpose(Y.topLeftCorner(p, p));
  if (q == 0) return;
  lapack::add_inner(-1.0, Y.bottomLeftCorner(q, p), Y.topLeftCorner(p, p));
  lapack::multiply_left_transposed(Y.bottomRightCorner(q, q), Y.bottomLeftCorner(q, p));
  lapack::multiply_transpose(Y.bottomRightCorner(q, q));
  Y.bottomLeftCorner(q, p) *= -1;
  Y.bottomRightCorner(q, q).triangularView<Eigen::Lower>() = -Y.bottomRightCorner(q, q);
}

}  // namespace ggpm::internal
