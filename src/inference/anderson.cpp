#include "inference/anderson.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <vector>

#include "gram/lapack.hpp"

namespace ggpm::internal {

void Anderson::push(const Sites& sites, const Sites& proposed) {
  const Index n = sites.size();
  Vector x(2 * n), f(2 * n);
  x << sites.precision, sites.shift;
  f << proposed.precision - sites.precision, proposed.shift - sites.shift;
  if (started_) {
    if (dx_.rows() != 2 * n) {
      dx_.resize(2 * n, depth_);
      df_.resize(2 * n, depth_);
    }
    if (count_ == 0) next_ = 0;
    dx_.col(next_) = x - x_;
    df_.col(next_) = f - f_;
    next_ = (next_ + 1) % depth_;
    count_ = std::min(count_ + 1, depth_);
  }
  x_ = std::move(x);
  f_ = std::move(f);
  started_ = true;
}

// Of each group of rows the triangle of its QR, which has the same least squares: R' R = A' A.
Matrix Anderson::triangles(const Matrix& A) const {
  const Index n = A.rows() / 2, columns = A.cols();
  return here_.stacked(columns, columns, [&](const std::vector<Index>& rows) {
    const Index count = std::ssize(rows);
    Matrix part = Matrix::Zero(std::max(2 * count, columns), columns);
    part.topRows(count) = A(rows, Eigen::all);
    for (Index k = 0; k < count; ++k) part.row(count + k) = A.row(n + rows[at(k)]);
    const Eigen::HouseholderQR<Matrix> qr(part);
    return Matrix(qr.matrixQR().topRows(columns).triangularView<Eigen::Upper>());
  });
}

Sites Anderson::mix(const Conditioned& q, double step) const {
  const Index n = q.mean.size();
  // The same units as distance(): what a change of a site does to its marginal.
  const auto measured = [&](const Vector& f) {
    Vector out(2 * n);
    out.head(n) = q.variance.cwiseProduct(f.head(n));
    out.tail(n) = q.variance.cwiseSqrt().cwiseProduct(f.tail(n) - q.mean.cwiseProduct(f.head(n)));
    return out;
  };
  Matrix A(2 * n, count_ + 1);
  for (Index j = 0; j < count_; ++j) A.col(j) = measured(df_.col(j));
  A.col(count_) = measured(f_);
  if (here_.groups() > 1) A = triangles(A);
  // Steps that repeat themselves, or each other, say nothing.
  const Vector gamma = lapack::least_squares(A.leftCols(count_), A.col(count_), 1e-10);
  const Vector next = x_ + step * f_ - (dx_.leftCols(count_) + step * df_.leftCols(count_)) * gamma;
  return {next.head(n), next.tail(n)};
}

}  // namespace ggpm::internal
