// Arithmetic of sites: how far two sets of sites are apart, seen from the marginals.
#pragma once

#include <algorithm>
#include <cmath>

#include "ggpm/likelihood.hpp"
#include "gram/gram.hpp"

namespace ggpm::internal {

// `from` moved by `step` of the way to `to`, in natural parameters.
inline Sites damped(const Sites& from, const Sites& to, double step) {
  if (step == 1) return to;
  return {from.precision + step * (to.precision - from.precision),
          from.shift + step * (to.shift - from.shift)};
}

struct Site {
  double precision, shift;
};

// The site that takes its cavity N(mean, variance) to the tilted moments: 1/variance - 1/cavity
// variance and mean/variance - cavity mean/cavity variance, written so that neither a weak nor a
// dominating likelihood cancels.                                                (eqn:ep:momentfunc)
inline Site matched_site(const Tilted& tilted, double mean, double variance) {
  const double ratio = variance / tilted.variance;
  return {-tilted.d2 * ratio, (tilted.d1 - mean * tilted.d2) * ratio};
}

// Sites of the parabola with the derivatives d1 and d2 of log p at eta: a step of Newton's method.
inline void set_parabola(double d1, double d2, double eta, Index i, Sites& sites) {
  sites.precision[i] = -d2;
  sites.shift[i] = d1 - d2 * eta;
}

struct Distance {
  double largest = 0;  // over sites
  double rms = 0;
};

// How much replacing site i would move its own marginal N(m, v): v dP relative in the variance,
// sqrt(v) (dshift - m dP) standard deviations in the mean.
inline Distance distance(const RowsHere& here,
                         const Sites& a,
                         const Sites& b,
                         const Conditioned& q) {
  Distance d;
  const double squares = here.sum([&](Index i) {
    const double dp = b.precision[i] - a.precision[i];
    const double variance = q.variance[i] * dp;
    const double mean = std::sqrt(q.variance[i]) * (b.shift[i] - a.shift[i] - q.mean[i] * dp);
    d.largest = std::max({d.largest, std::abs(variance), std::abs(mean)});
    return variance * variance + mean * mean;
  });
  d.largest = here.largest(d.largest);
  d.rms = std::sqrt(squares / static_cast<double>(2 * here.all()));
  return d;
}

inline bool all_finite(const RowsHere& here, const Sites& sites) {
  return here.every(sites.precision.allFinite() && sites.shift.allFinite());
}

}  // namespace ggpm::internal
