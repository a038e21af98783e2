// The nearest Gaussian by Kullback-Leibler divergence, with blocks of sites.
#include <cmath>
#include <limits>

#include "inference/class_problem.hpp"
#include "likelihood/softmax.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {

ClassProblem::Averages ClassProblem::averages() const {
  Averages out{0, Matrix(n(), C_), Matrix(n(), C_ * C_)};
  Vector values(n());
  for_rows(n(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const SoftmaxExpected at = softmax_expected(mean_.row(i), block_of(covariance_, i));
      values[i] = weight(i) * (mean_(i, level(i)) - at.log_sum);
      Matrix block = -weight(i) * at.pp;
      block.diagonal() += weight(i) * at.p;
      set_block(out.blocks, i, block);
      out.slope.row(i) = -weight(i) * at.p.transpose();
      out.slope(i, level(i)) += weight(i);
    }
  });
  out.value = values.sum();
  return out;
}

// The fixed point P = E[-l''], shift = P mean + E[l'], from Laplace's, damped in these where the
// bound falls, and for longer where the residual grows: whole steps overshoot if the prior is wide.
void ClassProblem::kld(const Posterior* warm) {
  Matrix shift;
  if (warm != nullptr && warm->sites.precision.size() == n() * C_ * C_) {
    blocks_ = by_row(warm->sites.precision, n());
    shift = by_row(warm->sites.shift, n());
  } else {
    laplace(nullptr);
    shift = shifts();
    v_.resize(0, 0);
  }
  report_.outcome = Outcome::iteration_limit;
  double best = -std::numeric_limits<double>::infinity(), size = 1, longest = 1;
  double last = std::numeric_limits<double>::infinity();  // residual
  Matrix old_blocks = blocks_, aim_blocks, old_shift = shift, aim_shift;
  const auto step = [&] {
    blocks_ = old_blocks + size * (aim_blocks - old_blocks);
    shift = old_shift + size * (aim_shift - old_shift);
  };
  for (int k = 1; k <= options_.max_iterations; ++k) {
    condition(ClassConditional::of_blocks(K_, blocks_), shift);
    ++report_.factorizations;
    covariance_ = conditional_->covariances(K_, K_.diagonals(C_));
    Averages at = averages();
    // KL(q || prior) = 1/2 (-tr P V + alpha' K alpha + log|I + K P|)
    const double trace = blocks_.cwiseProduct(covariance_).sum();
    const double bound =
        at.value - (alpha_.cwiseProduct(mean_).sum() - trace + conditional_->log_det()) / 2;
    if (!(bound >= best - 1e-9 * (1 + std::abs(best))) && size > 1e-6) {
      size /= 2;
      step();
      continue;
    }
    if (!std::isfinite(bound)) throw NumericalError("kld: the bound is not finite");
    best = bound;
    log_marginal_ = bound;
    double residual = (at.blocks - blocks_).cwiseProduct(covariance_).cwiseAbs().maxCoeff();
    for (Index c = 0; c < C_; ++c)
      residual = std::max(residual,
                          (at.slope - alpha_)
                              .col(c)
                              .cwiseProduct(covariance_.col(c * C_ + c).cwiseSqrt())
                              .cwiseAbs()
                              .maxCoeff());
    note(k, bound, residual);
    if (residual <= options_.tolerance) {
      report_.outcome = Outcome::converged;
      break;
    }
    old_blocks = blocks_;
    old_shift = shift;
    aim_shift = at.slope + times_blocks(at.blocks, mean_);
    aim_blocks = std::move(at.blocks);
    longest = residual > last ? std::max(longest / 2, 0.05) : std::min(1.0, 1.05 * longest);
    last = residual;
    size = std::min(longest, 2 * size);
    step();
  }
  finish(blocks_);
}

}  // namespace ggpm::internal
