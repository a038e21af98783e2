// A block of K small enough for the cache: all kernels are evaluated and pulled back block by
// block, so that no term of an expression needs an n x n matrix of its own.
#pragma once

#include <Eigen/Core>

#include "ggpm/types.hpp"

namespace ggpm::internal::kern {

inline constexpr Index kTileRows = 128, kTileCols = 32;  // 32 kB

// Rows [row, row + rows) of X against rows [col, col + cols) of Z.
struct Block {
  Index row, col, rows, cols;
};

// (rows, cols), column-major, without gaps. Storage grows once and is kept.
class Tile {
 public:
  // Contents are unspecified afterwards.
  void reshape(Index rows, Index cols) {
    rows_ = rows;
    cols_ = cols;
    if (storage_.size() < padded_size()) storage_.resize(padded_size());
    storage_.segment(rows * cols, padded_size() - rows * cols).setZero();
  }
  void reshape(const Block& block) { reshape(block.rows, block.cols); }

  Eigen::Map<Eigen::ArrayXXd> array() { return {storage_.data(), rows_, cols_}; }
  Eigen::Map<const Eigen::ArrayXXd> array() const { return {storage_.data(), rows_, cols_}; }

  Eigen::Map<Matrix> matrix() { return {storage_.data(), rows_, cols_}; }
  Eigen::Map<const Matrix> matrix() const { return {storage_.data(), rows_, cols_}; }

  // All entries, and padding up to a multiple of kPadding: functions of entries run over whole SIMD
  // registers, so that a value does not depend on where in the tile it stands.
  Eigen::Map<Eigen::ArrayXd> flat() { return {storage_.data(), padded_size()}; }
  Eigen::Map<const Eigen::ArrayXd> flat() const { return {storage_.data(), padded_size()}; }

  double* data() { return storage_.data(); }
  const double* data() const { return storage_.data(); }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

 private:
  static constexpr Index kPadding = 8;
  Index padded_size() const { return (rows_ * cols_ + kPadding - 1) / kPadding * kPadding; }

  Eigen::ArrayXd storage_;
  Index rows_ = 0, cols_ = 0;
};

// out <- factor exp(rate x) for every entry, rate x <= 0; `out` has the shape of x, or is x.
// Exactly 0 below -708, where results would be subnormal and make every later product slow. With
// rate and factor 1 within 1 unit in the last place.
void exponential(const Tile& x, double rate, double factor, Tile& out);
// x <- log(1 + x), 0 <= x < 1e300, within 2 units in the last place.
void log1p_in_place(Tile& tile);

}  // namespace ggpm::internal::kern
