// Taylor's approximation of the COM-Poisson with the moments that the paper prints:
//   E y = e^theta + 1/(2 nu) - 1/2,   var y = e^theta / nu.                      (tab:ExpoDistLink)
// They are exact for no nu but 1 (errata 1.14). With them the expansion point is where u = 0, and the
// approximation is regression on targets g(y) with noise 1/(nu e^theta theta'^2).
#pragma once

#include "experiments/reproduction.hpp"

namespace ggpm::paper {

struct PrintedMomentsFit {
  double mae = kNone, nlp = kNone, mode_mae = kNone;  // of the rounded mean, and of the mode
  double nu = kNone, log_marginal = kNone;
};

// With the kernel a (x'z + 1) + b exp(-|x - z|^2/(2 l^2)); a, b, l and nu are learned, nu without a
// bound. `linear`: the linearized mean.
PrintedMomentsFit fit_printed_moments(const Dataset& data, const Split& split, bool linear);

// Its log marginal; log_parameters are those of a, b, l and nu.
double printed_moments_log_marginal(const Dataset& train,
                                    bool linear,
                                    const std::vector<double>& log_parameters);

}  // namespace ggpm::paper
