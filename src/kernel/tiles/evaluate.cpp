// The walk over the tiles of K.
#include <cmath>

#include "ggpm/kernel.hpp"
#include "kernel/expression/node.hpp"
#include "parallel/threads.hpp"

namespace ggpm {

using namespace internal;

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

// The same for blocks that cover the lower triangle of (n, n), columns [begin, end). The first of
// each column of blocks begins on the diagonal: its top square holds the diagonal.
template <class Visit>
void for_each_lower_block(Index n, Index begin, Index end, const Visit& visit) {
  for (Index col = begin; col < end; col += kern::kTileCols)
    for (Index row = col; row < n; row += kern::kTileRows)
      visit(Block{
          row, col, std::min(kern::kTileRows, n - row), std::min(kern::kTileCols, end - col)});
}

// The lower triangle in parts of nearly the same size, each for a thread with tiles of its own.
// Their number depends on n alone, and so do sums over parts.
class LowerParts {
 public:
  explicit LowerParts(Index n)
      : n_(n), count_(std::clamp<Index>(2 * (n / kRowsPerPair), 1, kMaxParts)) {}
  Index count() const { return count_; }

  // body(part, begin, end) for the columns of each part.
  template <class Body>
  void each(const Body& body) const {
    for_blocks(count_, 1, 0, [&](Index first, Index last) {
      for (Index part = first; part < last; ++part) body(part, border(part), border(part + 1));
    });
  }

 private:
  static constexpr Index kRowsPerPair = 400, kMaxParts = 64;

  // Left of it lies part / count of the triangle.
  Index border(Index part) const {
    const double share = 1 - std::sqrt(1 - double(part) / double(count_));
    const auto tiles = static_cast<Index>(std::round(share * double(n_) / kern::kTileCols));
    return part == count_ ? n_ : std::min(n_, tiles * kern::kTileCols);
  }

  Index n_, count_;
};

// K(X, Z) in parts along its longer side, each for a thread with tiles, and a copy of its rows, of
// its own. Their number depends on the size alone, and so do sums over parts.
class RectangleParts {
 public:
  RectangleParts(const Matrix& X, const Matrix& Z) : X_(X), Z_(Z) {
    const Index tiles = tall() ? (X.rows() + kern::kTileRows - 1) / kern::kTileRows
                               : (Z.rows() + kern::kTileCols - 1) / kern::kTileCols;
    count_ = std::clamp<Index>(
        X.rows() * Z.rows() / kEntries, 1, std::clamp<Index>(tiles, 1, kMaxParts));
  }
  Index count() const { return count_; }

  // body(part, X, Z, row, col): the part has these rows and columns, and begins at (row, col) of K.
  template <class Body>
  void each(const Body& body) const {
    if (count_ == 1) return body(Index{0}, X_, Z_, Index{0}, Index{0});
    for_blocks(count_, 1, 0, [&](Index first, Index last) {
      for (Index part = first; part < last; ++part) {
        const Index begin = border(part), size = border(part + 1) - begin;
        if (tall())
          body(part, Matrix(X_.middleRows(begin, size)), Z_, begin, Index{0});
        else
          body(part, X_, Matrix(Z_.middleRows(begin, size)), Index{0}, begin);
      }
    });
  }

 private:
  static constexpr Index kEntries = 50'000, kMaxParts = 64;

  bool tall() const { return X_.rows() > Z_.rows(); }
  Index border(Index part) const {
    const Index length = tall() ? X_.rows() : Z_.rows();
    const Index tile = tall() ? kern::kTileRows : kern::kTileCols;
    const Index tiles = (length + tile - 1) / tile;
    return std::min(length, tile * (tiles * part / count_));
  }

  const Matrix &X_, &Z_;
  Index count_ = 1;
};

Vector sum_of(const std::vector<Vector>& parts) {
  Vector sum = parts.front();
  for (std::size_t part = 1; part < parts.size(); ++part) sum += parts[part];
  return sum;
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
  LowerParts(X.rows()).each([&](Index, Index begin, Index end) {
    const auto tiles = root_->tiles({X, X, true});
    for_each_lower_block(X.rows(), begin, end, [&](const Block& block) {
      const Tile& tile = tiles->evaluate(block);
      K.block(block.row, block.col, block.rows, block.cols) = tile.array();
      K.block(block.col, block.row, block.cols, block.rows) = tile.array().transpose();
      if (block.row == block.col) {
        auto square = K.block(block.row, block.col, block.cols, block.cols);
        square = tile.array().topRows(block.cols);
        square.triangularView<Eigen::StrictlyUpper>() = square.transpose();
      }
    });
  });
}

void Kernel::cross(const Matrix& X, const Matrix& Z, Matrix& K) const {
  check_inputs(X);
  check_inputs(Z);
  K.resize(X.rows(), Z.rows());
  RectangleParts(X, Z).each(
      [&](Index, const Matrix& rows, const Matrix& cols, Index row, Index col) {
        const auto tiles = root_->tiles({rows, cols, false});
        for_each_block(rows.rows(), cols.rows(), [&](const Block& block) {
          K.block(row + block.row, col + block.col, block.rows, block.cols) =
              tiles->evaluate(block).array();
        });
      });
}

Vector Kernel::diagonal(const Matrix& X) const {
  check_inputs(X);
  return root_->diagonal(X);
}

Vector Kernel::pull_back(const Matrix& X, const Matrix& Kbar) const {
  check_inputs(X);
  check_shape(Kbar, X.rows(), X.rows());
  const LowerParts parts(X.rows());
  std::vector<Vector> gradients(static_cast<std::size_t>(parts.count()));
  parts.each([&](Index part, Index begin, Index end) {
    const auto tiles = root_->tiles({X, X, true});
    Tile adjoint;
    for_each_lower_block(X.rows(), begin, end, [&](const Block& block) {
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
    gradients[static_cast<std::size_t>(part)] = gradient_of(*tiles);
  });
  return sum_of(gradients);
}

Vector Kernel::pull_back_cross(const Matrix& X, const Matrix& Z, const Matrix& Kbar) const {
  check_inputs(X);
  check_inputs(Z);
  check_shape(Kbar, X.rows(), Z.rows());
  const RectangleParts parts(X, Z);
  std::vector<Vector> gradients(static_cast<std::size_t>(parts.count()));
  parts.each([&](Index part, const Matrix& rows, const Matrix& cols, Index row, Index col) {
    const auto tiles = root_->tiles({rows, cols, false});
    Tile adjoint;
    for_each_block(rows.rows(), cols.rows(), [&](const Block& block) {
      adjoint.reshape(block);
      adjoint.array() = Kbar.block(row + block.row, col + block.col, block.rows, block.cols);
      tiles->evaluate(block);
      tiles->pull_back(adjoint);
    });
    gradients[static_cast<std::size_t>(part)] = gradient_of(*tiles);
  });
  return sum_of(gradients);
}

Vector Kernel::pull_back_diagonal(const Matrix& X, const Vector& kbar) const {
  check_inputs(X);
  check_shape(kbar, X.rows(), 1);
  std::vector<double> gradient;
  root_->pull_back_diagonal(X, kbar, gradient);
  return Eigen::Map<const Vector>(gradient.data(), static_cast<Index>(gradient.size()));
}

}  // namespace ggpm
