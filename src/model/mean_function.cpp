#include "model/mean_function.hpp"

#include <fmt/format.h>

#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

constexpr double kFarthest = 38;        // deviations; less is left beyond than a double can hold
constexpr double kMeanRounding = 1e-9;  // means that are sums have no more digits than this

double upper_tail(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

// By more than rounding.
bool falls(double before, double after) {
  return before - after > kMeanRounding * std::abs(before);
}

}  // namespace

MeanFunction::MeanFunction(const Likelihood& likelihood,
                           Index number,
                           const Row& row,
                           double latent_mean,
                           double latent_variance)
    : likelihood_(likelihood),
      row_(row),
      latent_mean_(latent_mean),
      sd_(std::sqrt(latent_variance)) {
  bool up = false, down = false;
  double before = at(-4);
  for (double z = -3.5; z <= 4; z += 0.5) {
    const double here = at(z);
    up = up || falls(-before, -here);
    down = down || falls(before, here);
    before = here;
  }
  if (up && down)
    throw UsageError(fmt::format(
        "row {}: the mean of y is not monotone in the latent function, so that its quantiles are "
        "not those of the latent; draw functions instead",
        number + 1));
  sign_ = down ? -1 : 1;
}

double MeanFunction::at(double z) const { return likelihood_.mean(row_, latent_mean_ + z * sd_); }

double MeanFunction::quantile(double p) const {
  const double value = at(sign_ * numeric::ndtri(p));
  return std::isfinite(value) ? value : kNaN;
}

double MeanFunction::above(double threshold) const {
  if (std::isnan(at(0))) return kNaN;
  const auto exceeds = [&](double z) { return at(sign_ * z) > threshold; };
  if (exceeds(-kFarthest)) return 1;
  if (!exceeds(kFarthest)) return 0;
  double low = -kFarthest, high = kFarthest;  // of z: it exceeds from somewhere between them on
  while (high - low > 1e-13 * std::max(1.0, std::abs(low))) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (exceeds(middle) ? high : low) = middle;
  }
  return upper_tail(high);
}

}  // namespace ggpm::internal
