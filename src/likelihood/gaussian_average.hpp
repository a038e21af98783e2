// Averages of smooth functions of eta over a Gaussian N(mean, variance), to about 1e-11.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "numeric/integrate.hpp"

namespace ggpm::internal {

inline constexpr double kAverageTolerance = 1e-11;

// f(eta points, values) writes K functions. The range starts at 8.5 standard deviations and grows
// to either side while the functions outgrow the Gaussian there (e^eta moves the mass by one
// variance). `landmarks`: points in eta where f changes quickly compared to the Gaussian; may be
// empty. `agreement` of two rules is enough: where f is analytic the finer one has the square of
// it.
template <std::size_t K, class F>
numeric::Integral<K> gaussian_average(const F& f,
                                      double mean,
                                      double variance,
                                      std::span<const double> landmarks = {},
                                      double agreement = 1e-9) {
  const double sd = std::sqrt(variance);
  numeric::Values<K> values;
  std::array<double, numeric::kNodes> eta;
  const auto weighted = [&](std::span<const double> z, numeric::Values<K>& out) {
    for (std::size_t i = 0; i < z.size(); ++i) eta[i] = mean + sd * z[i];
    f(std::span<const double>(eta.data(), z.size()), out);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double w = 0.39894228040143267794 * std::exp(-z[i] * z[i] / 2);
      for (std::size_t k = 0; k < K; ++k) out[i][k] = w == 0 ? 0 : w * out[i][k];
    }
  };
  // Scale of the integrand near the center, then the ends.
  const std::array<double, 5> center = {-2, -1, 0, 1, 2};
  weighted(center, values);
  std::array<double, K> scale{};
  for (std::size_t i = 0; i < center.size(); ++i) {
    for (std::size_t k = 0; k < K; ++k) scale[k] = std::max(scale[k], std::abs(values[i][k]));
  }
  const auto end = [&](double direction) {
    double z = 8.5 * direction;
    for (int i = 0; i < 40; ++i, z += 1.5 * direction) {
      const std::array<double, 1> point = {z};
      weighted(point, values);
      bool negligible = true;
      for (std::size_t k = 0; k < K; ++k) {
        const double size = std::abs(values[0][k]);
        if (!std::isfinite(size)) return z;
        if (size > 1e-15 * scale[k]) negligible = false;
        scale[k] = std::max(scale[k], size);
      }
      if (negligible) return z;
    }
    return z;
  };
  const double low = end(-1);
  const double high = end(1);
  bool smooth = true;
  for (const double point : landmarks) {
    const double z = (point - mean) / sd;
    if (z > low && z < high) smooth = false;
  }
  if (smooth) {
    const auto quick = numeric::trapezoid<K>(weighted, low, high, agreement);
    if (quick.converged) return quick;
  }
  std::array<double, 12> points{};
  std::size_t count = 0;
  points[count++] = low;
  for (const double point : landmarks) {
    const double z = (point - mean) / sd;
    if (z > low && z < high && count < points.size() - 2) points[count++] = z;
  }
  if (low < 0 && high > 0) points[count++] = 0;
  points[count++] = high;
  std::sort(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(count));
  return numeric::adaptive<K>(
      weighted, std::span<const double>(points.data(), count), kAverageTolerance);
}

}  // namespace ggpm::internal
