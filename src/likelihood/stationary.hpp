// Where a function of eta is highest, from its slope alone.
#pragma once

#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <optional>

namespace ggpm::internal {

// Uphill from 0 until the slope turns, then between the last two points, to so many bits. Nothing
// where the slope does not turn, or fades out before it does.
template <class Slope>
std::optional<double> stationary_point(const Slope& slope, int bits) {
  constexpr double kFarthest = 1e9;
  constexpr int kMostSteps = 200;
  const double at_zero = slope(0.0);
  if (at_zero == 0) return 0;
  const double direction = at_zero > 0 ? 1 : -1;
  double inside = 0;
  double outside = 0;
  double at_inside = at_zero;
  double at_outside = at_zero;
  double step = 0.5;
  for (int steps = 0; direction * at_outside > 0; ++steps, step *= 1.5) {
    if (steps == kMostSteps) return {};
    inside = outside;
    at_inside = at_outside;
    outside += direction * step;
    if (std::abs(outside) > kFarthest) return {};
    at_outside = slope(outside);
    // Overflow on the way: come closer.
    for (int i = 0; i < 60 && !std::isfinite(at_outside); ++i) {
      outside = (inside + outside) / 2;
      step /= 2;
      at_outside = slope(outside);
    }
  }
  if (!std::isfinite(at_outside)) return {};
  if (at_outside == 0) {  // a root, or so flat that it is rounded to 0
    const double beyond = slope(outside + direction * step);
    return direction * beyond < 0 ? std::optional(outside) : std::nullopt;
  }
  const bool up = outside > inside;
  std::uintmax_t most = 200;
  const auto bracket =
      boost::math::tools::toms748_solve(slope,
                                        up ? inside : outside,
                                        up ? outside : inside,
                                        up ? at_inside : at_outside,
                                        up ? at_outside : at_inside,
                                        boost::math::tools::eps_tolerance<double>(bits),
                                        most);
  return (bracket.first + bracket.second) / 2;
}

}  // namespace ggpm::internal
