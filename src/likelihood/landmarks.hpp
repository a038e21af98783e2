// Where the log density of a row turns much faster than a Gaussian latent: a quadrature in the
// Gaussian's own units would step over it.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "likelihood/base.hpp"

namespace ggpm::internal {

class Landmarks {
 public:
  Landmarks(const LikelihoodBase& likelihood, const Row& row, double variance) {
    const double peak = likelihood.peak(as_observed(row, likelihood.domain()));
    if (!std::isfinite(peak)) return;
    LogDensity l;
    likelihood.at(row, std::span<const double>(&peak, 1), Derivatives::second, std::span(&l, 1));
    const double curvature = likelihood.differentiable()
                                 ? std::abs(l.d2)
                                 : row.weight * likelihood.fisher_information(row, peak);
    const double width = 1 / std::sqrt(curvature);
    if (!(width < 0.05 * std::sqrt(variance))) return;
    for (const double k : {-30.0, -4.0, 0.0, 4.0, 30.0}) points_[count_++] = peak + k * width;
  }
  std::span<const double> points() const { return std::span(points_).first(count_); }

 private:
  std::array<double, 5> points_{};
  std::size_t count_ = 0;
};

}  // namespace ggpm::internal
