// The walk over the tiles of K.
#include "ggpm/kernel.hpp"
#include "kernel/node.hpp"

namespace ggpm {
namespace {

using kern::Block;
using kern::Tile;
using kern::Tiles;

// Calls visit(block) for blocks that cover (rows, cols), column by column of blocks.
template <class Visit>
void for_each_block(Index rows, Index cols, const Visit& visit) {
  for (Index col = 0; col < cols; col += kern::kTileCols)
    for (Index row = 0; row < rows; row += kern::kTileRows)
      visit(Block{
          row, col, std::min(kern::kTileRows, rows - row), std::min(kern::kTileCols, cols - col)});
}

// The same for blocks that cover the lower triangle of (n, n). The first of each column of blocks
// begins on the diagonal: its top square holds the diagonal.
template <class Visit>
void for_each_lower_block(Index n, const Visit& visit) {
  for (Index col = 0; col < n; col += kern::kTileCols)
    for (Index row = col; row < n; row += kern::kTileRows)
      visit(
          Block{row, col, std::min(kern::kTileRows, n - row), std::min(kern::kTileCols, n - col)});
}

Vector gradient_of(const Tiles& tiles) {
  std::vector<double> gradient;
  tiles.append_gradient(gradient);
  return Eigen::Map<const Vector>(gradient.data(), static_cast<Index>(gradient.size()));
}

void check_shape(const Matrix& Kbar, Index rows, Index cols) {
  if (Kbar.rows() != rows || Kbar.cols() != cols)
    throw UsageError("kernel: the adjoint is " + std::to_string(Kbar.rows()) + " x " +
                     std::to_string(Kbar.cols()) + ", K is " + std::to_string(rows) + " x " +
                     std::to_string(cols));
}

}  // namespace

void Kernel::check_inputs(const Matrix& X) const {
  const Index bound = dimensions();
  if (bound == 0) throw UsageError("kernel: bind it to inputs before it is evaluated");
  if (X.cols() != bound)
    throw UsageError("kernel: bound to " + std::to_string(bound) + " inputs, given " +
                     std::to_string(X.cols()));
}

void Kernel::gram(const Matrix& X, Matrix& K) const {
  check_inputs(X);
  K.resize(X.rows(), X.rows());
  const auto tiles = root_->tiles({X, X, true});
  for_each_lower_block(X.rows(), [&](const Block& block) {
    const Tile& tile = tiles->evaluate(block);
    K.block(block.row, block.col, block.rows, block.cols) = tile.array();
    K.block(block.col, block.row, block.cols, block.rows) = tile.array().transpose();
    if (block.row == block.col) {
      auto square = K.block(block.row, block.col, block.cols, block.cols);
      square = tile.array().topRows(block.cols);
      square.triangularView<Eigen::StrictlyUpper>() = square.transpose();
    }
  });
}

void Kernel::cross(const Matrix& X, const Matrix& Z, Matrix& K) const {
  check_inputs(X);
  check_inputs(Z);
  K.resize(X.rows(), Z.rows());
  const auto tiles = root_->tiles({X, Z, false});
  for_each_block(X.rows(), Z.rows(), [&](const Block& block) {
    K.block(block.row, block.col, block.rows, block.cols) = tiles->evaluate(block).array();
  });
}

Vector Kernel::diagonal(const Matrix& X) const {
  check_inputs(X);
  return root_->diagonal(X);
}

Vector Kernel::pull_back(const Matrix& X, const Matrix& Kbar) const {
  check_inputs(X);
  check_shape(Kbar, X.rows(), X.rows());
  const auto tiles = root_->tiles({X, X, true});
  Tile adjoint;
  for_each_lower_block(X.rows(), [&](const Block& block) {
    // An entry below the diagonal stands for its mirror image too.
    adjoint.reshape(block);
    adjoint.array() = 2 * Kbar.block(block.row, block.col, block.rows, block.cols).array();
    if (block.row == block.col) {
      for (Index j = 0; j < block.cols; ++j) {
        adjoint.array().col(j).head(j).setZero();
        adjoint.array()(j, j) *= 0.5;
      }
    }
    tiles->evaluate(block);
    tiles->pull_back(adjoint);
  });
  return gradient_of(*tiles);
}

Vector Kernel::pull_back_cross(const Matrix& X, const Matrix& Z, const Matrix& Kbar) const {
  check_inputs(X);
  check_inputs(Z);
  check_shape(Kbar, X.rows(), Z.rows());
  const auto tiles = root_->tiles({X, Z, false});
  Tile adjoint;
  for_each_block(X.rows(), Z.rows(), [&](const Block& block) {
    adjoint.reshape(block);
    adjoint.array() = Kbar.block(block.row, block.col, block.rows, block.cols);
    tiles->evaluate(block);
    tiles->pull_back(adjoint);
  });
  return gradient_of(*tiles);
}

Vector Kernel::pull_back_diagonal(const Matrix& X, const Vector& kbar) const {
  check_inputs(X);
  check_shape(kbar, X.rows(), 1);
  std::vector<double> gradient;
  root_->pull_back_diagonal(X, kbar, gradient);
  return Eigen::Map<const Vector>(gradient.data(), static_cast<Index>(gradient.size()));
}

}  // namespace ggpm
