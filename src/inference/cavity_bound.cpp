#include "inference/cavity_bound.hpp"

#include <algorithm>
#include <cmath>

namespace ggpm::internal {

CavityBound::At CavityBound::at(double m, double s) const {
  const double v = std::exp(s), d = m - mean_;
  Expected e;
  expected_(likelihood_, row_, {&m, 1}, {&v, 1}, {&e, 1}, Dphi::skip);
  return {.m = m,
          .s = s,
          .value = e.value - 0.5 * (std::log(variance_) - s + (v + d * d) / variance_ - 1),
          .slope_m = e.d1 - d / variance_,
          .slope_s = 0.5 * (v * e.d2 + 1 - v / variance_),
          .d1 = e.d1,
          .d2 = e.d2};
}

// Where the site is now, unless the bound is higher at the cavity; where neither is a number, at the
// cavity made narrower.
CavityBound::At CavityBound::start(const Site& now) const {
  const double precision = 1 / variance_ + now.precision;
  At best = precision > 0 ? at((mean_ / variance_ + now.shift) / precision, -std::log(precision))
                          : at(mean_, std::log(variance_));
  if (std::isfinite(best.value) && likelihood_.log_concave()) return best;
  At cavity = at(mean_, std::log(variance_));
  const bool known = std::isfinite(best.value);
  while (!known && !std::isfinite(cavity.value) && cavity.s > -60) cavity = at(mean_, cavity.s - 2);
  return !known || cavity.value > best.value ? cavity : best;
}

// Newton steps in (m, log v), shortened until the bound grows. The third and fourth derivative of
// E log p come from one difference in v.
Site CavityBound::site(const Site& now) const {
  constexpr double kDifference = 1e-4, kClose = 1e-3, kMostFolds = 2, kRounding = 1e-11;
  constexpr int kSteps = 50, kHalvings = 40;
  At best = start(now);
  for (int step = 0; step < kSteps; ++step) {
    const double v = std::exp(best.s), sd = std::sqrt(v);
    const At wider = at(best.m, best.s + kDifference);
    double mm = best.d2 - 1 / variance_;
    double ms = (wider.d1 - best.d1) / kDifference;
    double ss = (wider.slope_s - best.slope_s) / kDifference;
    if (!(mm < 0 && ss < 0 && mm * ss > ms * ms)) {  // not concave here: each on its own
      mm = -std::max(std::abs(mm), 1 / variance_);
      ss = -std::max(std::abs(ss), 0.5);
      ms = 0;
    }
    const double det = mm * ss - ms * ms;
    double dm = -(ss * best.slope_m - ms * best.slope_s) / det;
    double ds = -(mm * best.slope_s - ms * best.slope_m) / det;
    const double longest = std::max(std::abs(dm) / (4 * sd), std::abs(ds) / kMostFolds);
    if (!std::isfinite(longest)) break;
    if (longest > 1) dm /= longest, ds /= longest;
    if (std::max(std::abs(dm) / sd, std::abs(ds)) < kClose) break;
    // The bound is known to a rounding, below which no shorter step can be seen to climb.
    const double rounding = kRounding * (1 + std::abs(best.value));
    At trial = best;
    for (int halving = 0; halving < kHalvings; ++halving, dm /= 2, ds /= 2) {
      if (std::abs(best.slope_m * dm + best.slope_s * ds) < rounding) break;
      trial = at(best.m + dm, best.s + ds);
      if (trial.value > best.value) break;
    }
    if (!(trial.value > best.value)) break;
    best = trial;
  }
  const double precision = std::exp(-best.s) - 1 / variance_;
  return {precision, best.m * std::exp(-best.s) - mean_ / variance_};
}

}  // namespace ggpm::internal
