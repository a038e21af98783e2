// The posterior over the latents as a Gaussian q times a ratio that is bounded in practice: what
// sampling needs.
//
// q is the fitted approximation: the prior N(m, K) times sites t_i. So
//   p(y, eta) / q(eta) = Z_t prod_i p(y_i | eta_i) / t_i(eta_i),   Z_t = integral of N(m, K) prod t_i,
// a sum over rows: no solve with K. The ratio must not grow in the tails; sites with a share s of
// their precision make q wider (s = 0: the covariance of the prior), while its mean stays.
#pragma once

#include <vector>

#include "learn/objective.hpp"

namespace ggpm::internal {

// What all targets of a model share.
struct Latents {
  // DataError if there is no memory for it, NumericalError if K has no factor.
  Latents(const LearningTask& task, double jitter);

  const Likelihood& likelihood;
  std::vector<Row> rows;
  Matrix factor;  // (n, n) lower L, K = L L^T; zeros above
};

class Target {
 public:
  // `share` of the sites' precision is kept, 0 to 1. NumericalError if that is no distribution.
  Target(const Latents& latents, const Posterior& posterior, double share = 1);

  Index size() const { return mean_.size(); }
  const Vector& mean() const { return mean_; }  // (n) of q
  double share() const { return share_; }
  double log_normalizer() const { return log_normalizer_; }  // log Z_t

  // log of the ratio, without Z_t. -infinity where the likelihood is 0.
  double log_ratio(const Vector& eta) const;
  // Draws of q less its mean from standard normal columns.
  Matrix color(const Matrix& normal) const;

 private:
  const Latents& latents_;
  double share_;
  Sites sites_;
  Vector mean_;
  Matrix factor_;  // (n, n) F, the covariance of q is F F^T
  double log_normalizer_ = 0;
};

}  // namespace ggpm::internal
