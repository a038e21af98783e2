// Halving an interval of doubles that may span hundreds of orders of magnitude.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ggpm::internal::numeric {

// A point strictly between low < high, if there is one: the middle of an interval of one size, the
// geometric middle of one that spans several, so that some sixty halvings always suffice.
inline double between(double low, double high) {
  constexpr double kWide = 64;
  if (low < 0 && high > 0) return high - low > kWide ? 0 : low + (high - low) / 2;
  const double sign = high > 0 ? 1 : -1;
  double near = std::abs(low), far = std::abs(high);
  if (near > far) std::swap(near, far);
  if (far > kWide && near < 1) return sign * std::sqrt(far);
  if (near == 0 && far < 1)  // toward zero by squaring: halving would take a thousand steps
    return sign * std::max(std::min(far / 2, far * far), std::numeric_limits<double>::denorm_min());
  if (far > kWide * near && near > 0) return sign * std::sqrt(near) * std::sqrt(far);
  return low + (high - low) / 2;
}

}  // namespace ggpm::internal::numeric
