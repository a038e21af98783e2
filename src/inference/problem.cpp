#include "inference/problem.hpp"

namespace ggpm::internal {

double shared_terms(const Problem& problem, const Conditioned& q) {
  return -0.5 * problem.here().dot(q.mean - problem.prior_mean, q.alpha) - 0.5 * q.log_det;
}

}  // namespace ggpm::internal
