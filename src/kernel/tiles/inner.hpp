// Inner products x.z of rows, tile by tile.
#pragma once

#include "kernel/expression/node.hpp"

namespace ggpm::internal::kern {

// sum_d w_d x_id z_jd, with w (1) or (d).
class InnerProducts {
 public:
  InnerProducts(const Inputs& inputs, const Vector& weights);
  void evaluate(const Block& block, Tile& out);
  // S_d += sum_ij G_ij w_d x_id z_jd over the block evaluated last, for all d at once.
  void pull_back(const Tile& G, Vector& S);

 private:
  auto u() const { return U_.middleRows(block_.row, block_.rows); }
  auto z() const { return Z_.middleRows(block_.col, block_.cols); }

  const Matrix U_, Z_;  // (n, d) w_d x_id, (m, d)
  Block block_{};
  Tile GZ_;  // (rows, d)
};

}  // namespace ggpm::internal::kern
