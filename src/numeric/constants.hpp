// Numbers that many files need.
#pragma once

#include <limits>

namespace ggpm::internal {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr double kNormal95 =
    1.96;  // half of a central 95 % interval, in standard deviations

}  // namespace ggpm::internal
