// Numbers of several classes: those of a row form a vector of C latents or a block of C x C, and
// are kept class by class, latent c of row i at c n + i, entry (a, b) of a block at (a C + b) n + i.
#pragma once

#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::internal {

// (n, C) or (n, C^2): a row of the matrix for each row of the data.
inline Eigen::Map<const Matrix> by_row(const Vector& numbers, Index n) {
  return {numbers.data(), n, numbers.size() / n};
}

// The block of row i, of `blocks` (n, C^2).
Matrix block_of(const Eigen::Ref<const Matrix>& blocks, Index i);
void set_block(Matrix& blocks, Index i, const Matrix& block);

// (n, C): block times vector for each row.
Matrix times_blocks(const Eigen::Ref<const Matrix>& blocks, const Matrix& x);

// P = l l^T with l (C, C-1), for a semidefinite P whose rows sum to 0. With the largest pivots
// first, so that small entries keep their digits.
Matrix root_of_block(const Matrix& P);

// A matrix for each class: as many as there are classes, or one that all share.
class ClassMatrices {
 public:
  explicit ClassMatrices(std::vector<Matrix> matrices) : all_(std::move(matrices)) {}
  const Matrix& of(Index c) const {
    return all_[all_.size() == 1 ? 0 : static_cast<std::size_t>(c)];
  }
  bool are_shared() const { return all_.size() == 1; }
  const std::vector<Matrix>& all() const { return all_; }
  Index rows() const { return all_.front().rows(); }
  Index cols() const { return all_.front().cols(); }

  Matrix times(const Matrix& x) const;             // (n, C): column c by the matrix of class c
  Matrix times_transposed(const Matrix& x) const;  // likewise, of its transpose
  Matrix diagonals(Index classes) const;           // (n, C)

 private:
  std::vector<Matrix> all_;
};

}  // namespace ggpm::internal
