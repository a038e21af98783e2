#include "inference/class_problem.hpp"

#include <fmt/format.h>

#include "gram/lapack.hpp"

namespace ggpm::internal {

void ClassProblem::condition(ClassConditional conditional, const Matrix& shift) {
  conditional_ = std::move(conditional);
  alpha_ = shift - conditional_->apply(K_.times(shift));
  mean_ = K_.times(alpha_);
}

void ClassProblem::note(int iteration, double value, double residual) {
  report_.iterations = iteration;
  report_.residual = residual;
  if (options_.on_iteration) options_.on_iteration({iteration, value, residual});
}

void ClassProblem::finish(Matrix blocks) {
  blocks_ = std::move(blocks);
  conditional_->prepare();
  covariance_ = conditional_->covariances(K_, K_.diagonals(C_));
  if (report_.outcome != Outcome::converged)
    report_.detail = fmt::format(
        "{} did not converge in {} iterations", to_string(options_.method), report_.iterations);
}

namespace {

// The covariance V- of a row without its own block:  V-^-1 = V^-1 - P. With P = l l^T,
//   V- = V + V l (I - l^T V l)^-1 l^T V
// V itself where rounding leaves no such Gaussian.
Matrix without_block(const Matrix& V, const Matrix& P) {
  using lapack::Op;
  const Matrix l = root_of_block(P);
  Matrix lV(l.cols(), V.cols());
  lapack::set_product(1, l, Op::transposed, V, Op::plain, lV);
  Matrix rest = Matrix::Identity(l.cols(), l.cols());
  lapack::add_product(-1, lV, Op::plain, l, Op::plain, rest);
  if (!lapack::cholesky(rest) || !rest.diagonal().allFinite()) return V;
  lapack::solve_left(rest, lV);
  Matrix out = V;
  lapack::add_inner(1, lV, out);
  lapack::mirror(out);
  return out;
}

}  // namespace

Posterior ClassProblem::posterior() const {
  Posterior q;
  q.prior_mean = Vector::Zero(n() * C_);
  q.alpha = alpha_.reshaped();
  q.mean = mean_.reshaped();
  q.variance.resize(n() * C_);
  for (Index c = 0; c < C_; ++c) q.variance.segment(c * n(), n()) = covariance_.col(c * C_ + c);
  q.sites.precision = blocks_.reshaped();
  q.sites.shift = shifts().reshaped();
  Matrix cavity(n(), C_ * C_);
  for (Index i = 0; i < n(); ++i)
    set_block(cavity, i, without_block(block_of(covariance_, i), block_of(blocks_, i)));
  q.cavity_mean = (mean_ - times_blocks(cavity, alpha_)).reshaped();  // m- = m - V- alpha
  q.cavity_variance = cavity.reshaped();
  return q;
}

std::vector<Matrix> ClassProblem::adjoints() const {
  std::vector<Matrix> out;
  for (Index c = 0; c < C_; ++c) {
    Matrix one = -conditional_->diagonal_block(c) / 2;
    lapack::add_outer(0.5, alpha_.middleCols(c, 1), one);
    if (v_.size() != 0)
      for (Index j = 0; j < n(); ++j)
        one.col(j) += (v_(j, c) * alpha_.col(c) + alpha_(j, c) * v_.col(c)) / 2;
    if (c > 0 && K_.are_shared())
      out.front() += one;
    else
      out.push_back(std::move(one));
  }
  return out;
}

}  // namespace ggpm::internal
