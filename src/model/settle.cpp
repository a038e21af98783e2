#include <cmath>

#include "model/state.hpp"

namespace ggpm::internal {
namespace {

// A row whose site carries all the information there is has no cavity; say so in numbers that a
// file may hold.
void mark_missing_cavities(Posterior& q) {
  for (Index i = 0; i < q.mean.size(); ++i) {
    if (std::isfinite(q.cavity_mean[i]) && std::isfinite(q.cavity_variance[i])) continue;
    q.cavity_mean[i] = q.mean[i];
    q.cavity_variance[i] = -1;
  }
}

// What could not be saved and loaded again is no answer either.
void check_posterior(const Posterior& q) {
  for (const Vector* values : {&q.sites.precision,
                               &q.sites.shift,
                               &q.prior_mean,
                               &q.alpha,
                               &q.mean,
                               &q.variance,
                               &q.cavity_mean,
                               &q.cavity_variance})
    if (!values->allFinite())
      throw NumericalError(
          "fit: the posterior is not finite; look for extreme hyperparameters or data");
  if (!(q.variance.array() >= 0).all())
    throw NumericalError(
        "fit: a posterior variance is negative; look for extreme hyperparameters or data");
}

}  // namespace

void settle_posterior(Posterior& q) {
  mark_missing_cavities(q);
  check_posterior(q);
}

}  // namespace ggpm::internal
