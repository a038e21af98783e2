// Points and weights that integrate against a standard Gaussian in several dimensions.
#pragma once

#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::internal {

struct DesignPoint {
  Vector z;
  double weight = 0;  // they sum to 1
};

// At most so many directions; the point counts are 5, 25, 15, 25, 27, 45, and at most 57 beyond.
inline constexpr Index kMostDesigned = 12;

// One and two dimensions: Gauss and Hermite's five points along each. More: a central composite
// design, the center, two points on each axis and corners of a cube, all at the distance sqrt(p + 2),
// with which polynomials of degree 5 are integrated exactly (beyond six dimensions corners are fewer,
// and products of four different coordinates are not).
std::vector<DesignPoint> composite_design(Index dimensions);
double design_radius(Index dimensions);  // sqrt(p + 2)

}  // namespace ggpm::internal
