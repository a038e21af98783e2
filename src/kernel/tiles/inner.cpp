#include "kernel/tiles/inner.hpp"

#include "kernel/tiles/multiply.hpp"

namespace ggpm::internal::kern {
namespace {

// Up to so many inputs, loops over columns are as fast as a matrix product, and their bits do not
// depend on how rows are grouped into tiles.
constexpr Index kFewInputs = 6;

Matrix weighted(const Matrix& X, const Vector& weights) {
  if (weights.size() == 1) return X * weights(0);
  return X * weights.asDiagonal();
}

}  // namespace

InnerProducts::InnerProducts(const Inputs& inputs, const Vector& weights)
    : U_(weighted(inputs.X, weights)), Z_(inputs.Z) {}

void InnerProducts::evaluate(const Block& block, Tile& out) {
  block_ = block;
  out.reshape(block);
  if (U_.cols() <= kFewInputs) {
    for (Index j = 0; j < block.cols; ++j) {
      auto column = out.array().col(j);
      column.setZero();
      for (Index d = 0; d < U_.cols(); ++d)
        column += U_.col(d).segment(block.row, block.rows).array() * Z_(block.col + j, d);
    }
    return;
  }
  multiply(1, u(), Op::plain, z(), Op::transposed, out.matrix());
}

void InnerProducts::pull_back(const Tile& G, Vector& S) {
  GZ_.reshape(block_.rows, Z_.cols());
  multiply(1, G.matrix(), Op::plain, z(), Op::plain, GZ_.matrix());
  S += u().cwiseProduct(GZ_.matrix()).colwise().sum().transpose();
}

}  // namespace ggpm::internal::kern
