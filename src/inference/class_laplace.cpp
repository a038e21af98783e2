// Laplace's approximation with blocks of sites.
#include <cmath>

#include "inference/class_problem.hpp"
#include "likelihood/softmax.hpp"

namespace ggpm::internal {
namespace {

constexpr int kMostHalvings = 40;

// P_i = diag(d) - d d^T / sum d of each row.
Matrix blocks_of(const Matrix& d) {
  const Index C = d.cols();
  const Vector sum = d.rowwise().sum();
  Matrix out(d.rows(), C * C);
  for (Index a = 0; a < C; ++a)
    for (Index b = 0; b < C; ++b) {
      out.col(a * C + b) = -d.col(a).cwiseProduct(d.col(b)).cwiseQuotient(sum);
      if (a == b) out.col(a * C + b) += d.col(a);
    }
  return out;
}

// P eta, without blocks.
Matrix times_curvature(const Matrix& d, const Matrix& eta) {
  const Vector average = d.cwiseProduct(eta).rowwise().sum().cwiseQuotient(d.rowwise().sum());
  return d.cwiseProduct(eta.colwise() - average);
}

}  // namespace

ClassProblem::Local ClassProblem::local(const Matrix& eta) const {
  Local out{0, Matrix(n(), C_), Matrix(n(), C_)};
  for (Index i = 0; i < n(); ++i) {
    const SoftmaxAt at = softmax_at(eta.row(i));
    out.value += weight(i) * (eta(i, level(i)) - at.log_sum);
    out.d.row(i) = weight(i) * at.p.transpose();
    out.slope.row(i) = -out.d.row(i);
    out.slope(i, level(i)) += weight(i);
  }
  return out;
}

// Newton steps in alpha, searched along on log p(y | eta) - alpha' K alpha / 2, which is concave.
void ClassProblem::laplace(const Posterior* warm) {
  alpha_ = warm != nullptr && warm->alpha.size() == n() * C_ ? Matrix(by_row(warm->alpha, n()))
                                                             : Matrix(Matrix::Zero(n(), C_));
  mean_ = K_.times(alpha_);
  Local at = local(mean_);
  double height = at.value - alpha_.cwiseProduct(mean_).sum() / 2;
  if (!std::isfinite(height)) throw NumericalError("laplace: the start has no density");
  const Matrix prior_sd = K_.diagonals(C_).cwiseMax(1e-300).cwiseSqrt();
  report_.outcome = Outcome::iteration_limit;
  bool again = true;
  for (int k = 1; again && k <= options_.max_iterations; ++k) {
    const Matrix before = alpha_, mean_before = mean_;
    condition(ClassConditional::of_probabilities(K_, at.d),
              times_curvature(at.d, mean_) + at.slope);
    report_.factorizations += static_cast<int>(C_) + 1;
    const Matrix step = alpha_ - before, move = mean_ - mean_before;
    double size = 1;
    Local next = local(mean_);
    double reached = next.value - alpha_.cwiseProduct(mean_).sum() / 2;
    const double slack = 1e-12 * (1 + std::abs(height));
    for (int h = 0; !(reached >= height - slack) && h < kMostHalvings; ++h) {
      size /= 2;
      alpha_ = before + size * step;
      mean_ = mean_before + size * move;
      next = local(mean_);
      reached = next.value - alpha_.cwiseProduct(mean_).sum() / 2;
    }
    if (!std::isfinite(reached))
      throw NumericalError("laplace: no step leads to a finite density; look for extreme data");
    height = reached;
    at = std::move(next);
    // The error that is left after a Newton step is some square of it.
    const double residual = move.cwiseQuotient(prior_sd).cwiseAbs().maxCoeff() * size;
    note(k, height, residual);
    if (residual <= options_.tolerance || residual * residual <= 1e-4 * options_.tolerance) {
      report_.outcome = Outcome::converged;
      again = residual * residual > 1e-14 * options_.tolerance && residual > 1e-13;
      if (k == options_.max_iterations) again = false;
    }
  }
  // At the mode alpha is the slope.
  conditional_ = ClassConditional::of_probabilities(K_, at.d);
  report_.factorizations += static_cast<int>(C_) + 1;
  log_marginal_ = height - conditional_->log_det() / 2;
  finish(blocks_of(at.d));
  v_ = response_of_log_det(at.d);
}

// s_ic = -1/2 sum_ab V_ab dP_ab/d eta_c, and v = (I + P K)^-1 s.        (docs/several-classes.md)
Matrix ClassProblem::response_of_log_det(const Matrix& d) const {
  Matrix s(n(), C_);
  for (Index i = 0; i < n(); ++i) {
    const Vector p = d.row(i).transpose() / weight(i);
    Vector spread(C_), Vp = Vector::Zero(C_);
    for (Index a = 0; a < C_; ++a) {
      spread[a] = covariance_(i, a * C_ + a);
      for (Index b = 0; b < C_; ++b) Vp[a] += covariance_(i, a * C_ + b) * p[b];
    }
    const double once = p.dot(spread), twice = p.dot(Vp);
    s.row(i) = -0.5 * weight(i) *
               (p.array() * (spread.array() - once - 2 * (Vp.array() - twice))).matrix();
  }
  return s - conditional_->apply(K_.times(s));
}

}  // namespace ggpm::internal
