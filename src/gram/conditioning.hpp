// What every engine does around its factor, so that answers have the same error everywhere.
#pragma once

#include <cmath>
#include <limits>

#include "gram/gram.hpp"

namespace ggpm::internal {

// 1 - b_i below this has lost more than five of sixteen digits.
inline constexpr double kCancellation = 1e-5;

// For positive sites I + S K S is positive definite unless K has negative eigenvalues by rounding, which
// shows only when a precision is near 1e15 / K_ii. A jitter of that order is below the noise of K: it
// is tried only after the factor has failed. `again(jitter)` factors with that much on the diagonal, and
// says whether a larger one might help.
template <class Again>
void climb_jitter(double largest, bool indefinite, Again&& again) {
  constexpr double kFirst = 1e-15, kLast = 1e-5;  // of the largest K_ii
  for (double next = kFirst; indefinite && next <= kLast; next *= 10)
    indefinite = again(next * largest);
}

// Of K of inducing points, in multiples of its mean diagonal. Part of the model: below what data can tell, and
// enough for points of which two are the same.
inline constexpr double kFirstPointJitter = 1e-9, kLastPointJitter = 1e-4;

// m = t - W alpha is the same number as m + K alpha with a smaller error where the site is stronger than
// the prior: with conflicting duplicates K alpha is a small difference of large terms.
inline void refine_mean(const Sites& sites, const Vector& prior_variance, Conditioned& out) {
  for (Index i = 0; i < out.mean.size(); ++i)
    if (std::abs(sites.precision[i]) * prior_variance[i] > 1)
      out.mean[i] = (sites.shift[i] - out.alpha[i]) / sites.precision[i];
}

// A latent without prior variance (a linear kernel at the origin) keeps a variance that can be divided
// by.
inline void keep_positive(const Vector& prior_variance, Vector& variance) {
  const auto smallest =
      (std::numeric_limits<double>::epsilon() * prior_variance).cwiseMax(1e-30).array();
  variance = (variance.array() > 0).select(variance.array(), smallest);
}

}  // namespace ggpm::internal
