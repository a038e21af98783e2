// Squared distances of scaled inputs, tile by tile:  r2_ij = sum_d (s_d (x_id - z_jd))^2.
#pragma once

#include <memory>

#include "kernel/expression/node.hpp"

namespace ggpm::internal::kern {

class Distance {
 public:
  virtual ~Distance() = default;
  // Identical rows are exactly 0 apart; the relative error is about 1e-13 however far from the
  // origin and however close together the rows are.
  virtual void squared(const Block& block, Tile& r2) = 0;
  // S_d += sum_ij G_ij (s_d (x_id - z_jd))^2 over the block asked for last, for all d at once. G is
  // used up.
  virtual void pull_back(Tile& G, Vector& S) = 0;
};

// scale: 1 / lengthscale, one or one per input.
std::unique_ptr<Distance> make_distance(const Inputs& inputs, const Vector& scale);

// The two ways, for tests: differences one by one, and by a matrix product.
std::unique_ptr<Distance> make_direct_distance(const Inputs& inputs, const Vector& scale);
std::unique_ptr<Distance> make_product_distance(const Inputs& inputs, const Vector& scale);

// One scale per input, small enough for scaled inputs to stay below 1e100 in magnitude: no
// length-scale makes a distance overflow, and rows that far apart are infinitely far for every
// kernel.
Vector capped_scale(const Inputs& inputs, const Vector& scale);

}  // namespace ggpm::internal::kern
