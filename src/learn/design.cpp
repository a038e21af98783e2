#include "learn/design.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace ggpm::internal {
namespace {

// Roots of the Hermite polynomial He_5 and the weights of its Gauss rule.
std::vector<DesignPoint> hermite_grid(Index dimensions) {
  const double inner = std::sqrt(5 - std::sqrt(10.0)), outer = std::sqrt(5 + std::sqrt(10.0));
  const double near = (7 + 2 * std::sqrt(10.0)) / 60, far = (7 - 2 * std::sqrt(10.0)) / 60;
  const std::array<double, 5> nodes = {0, -inner, inner, -outer, outer};
  const std::array<double, 5> weights = {8.0 / 15, near, near, far, far};
  std::vector<DesignPoint> out = {{Vector(0), 1}};
  for (Index d = 0; d < dimensions; ++d) {
    std::vector<DesignPoint> longer;
    for (const DesignPoint& point : out)
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        DesignPoint& next = longer.emplace_back(DesignPoint{Vector(d + 1), point.weight});
        next.z << point.z, nodes[k];
        next.weight *= weights[k];
      }
    out = std::move(longer);
  }
  return out;
}

double sign_of(unsigned bits) { return std::popcount(bits) % 2 == 0 ? 1 : -1; }

// Corners of the cube [-1, 1]^p in which no product of up to four different coordinates is
// confounded: all of them, or half, the last coordinate being the product of the others.
std::vector<Vector> many_corners(Index p) {
  const Index chosen = p <= 4 ? p : p - 1;
  std::vector<Vector> out;
  for (unsigned bits = 0; bits < 1U << chosen; ++bits) {
    Vector& corner = out.emplace_back(p);
    for (Index j = 0; j < chosen; ++j) corner[j] = sign_of(bits >> j & 1U);
    if (chosen < p) corner[p - 1] = sign_of(bits);
  }
  return out;
}

// Rows of a Hadamard matrix and of its negative: products of up to three are not confounded.
std::vector<Vector> few_corners(Index p) {
  unsigned size = 1;
  while (size < static_cast<unsigned>(p)) size *= 2;
  std::vector<Vector> out;
  for (unsigned row = 0; row < size; ++row) {
    Vector corner(p);
    for (Index j = 0; j < p; ++j) corner[j] = sign_of(row & static_cast<unsigned>(j));
    out.push_back(corner);
    out.emplace_back(-corner);
  }
  return out;
}

}  // namespace

double design_radius(Index dimensions) { return std::sqrt(static_cast<double>(dimensions) + 2); }

// With the radius r = sqrt(p + 2) for all points, E z^2 = 1, E z^4 = 3 and E z_i^2 z_j^2 = 1 give
// 2/(p+2) to the center, 1/(p+2)^2 to each point of an axis, p^2/(p+2)^2 to the corners together.
std::vector<DesignPoint> composite_design(Index dimensions) {
  if (dimensions <= 2) return hermite_grid(dimensions);
  const auto p = static_cast<double>(dimensions);
  const double radius = design_radius(dimensions), axis = 1 / ((p + 2) * (p + 2));
  std::vector<DesignPoint> out = {{Vector::Zero(dimensions), 2 / (p + 2)}};
  for (Index j = 0; j < dimensions; ++j)
    for (const double sign : {-1.0, 1.0})
      out.push_back({sign * radius * Vector::Unit(dimensions, j), axis});
  const std::vector<Vector> corners =
      dimensions <= 6 ? many_corners(dimensions) : few_corners(dimensions);
  for (const Vector& corner : corners)
    out.push_back(
        {radius / std::sqrt(p) * corner, p * p * axis / static_cast<double>(corners.size())});
  return out;
}

}  // namespace ggpm::internal
