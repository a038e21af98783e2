// Gaussian processes of several classes, given a block of C x C numbers for each row.
#pragma once

#include <vector>

#include "inference/class_blocks.hpp"

namespace ggpm::internal {

// E = (K + P^-1)^-1 for K with a matrix for each class and blocks P, from which everything follows:
//   mean = K alpha, alpha = shift - E K shift,   covariance = K - K E K
// P may be singular, as blocks of softmax are.
class ClassConditional {
 public:
  // P_i = diag(d_i) - d_i d_i^T / sum(d_i): C + 1 factorizations of n rows.
  //   E_ab = [a = b] E_a - E_a (sum_c E_c)^-1 E_b,   E_c = (K_c + D_c^-1)^-1
  //                                             (Rasmussen and Williams 2006, algorithm 3.3)
  static ClassConditional of_probabilities(const ClassMatrices& K, const Matrix& d);  // d (n, C)
  // Any blocks (n, C^2) whose rows sum to 0: one factorization of n (C-1) rows.
  static ClassConditional of_blocks(const ClassMatrices& K, const Eigen::Ref<const Matrix>& blocks);

  Matrix apply(const Matrix& x) const;         // E x, (n, C)
  double log_det() const { return log_det_; }  // log|I + K P|

  void prepare();                        // what the two below need, by C solves of n rows
  Matrix diagonal_block(Index c) const;  // (n, n) E_cc
  // (m, C^2) covariances of the latents at places with cross covariances k (n, m) and variances
  // `prior` (m, C).
  Matrix covariances(const ClassMatrices& k, const Matrix& prior) const;

 private:
  Index classes() const { return static_cast<Index>(F_.size()); }
  const Matrix& E(Index c) const { return E_[static_cast<std::size_t>(c)]; }
  const Matrix& F(Index c) const { return F_[static_cast<std::size_t>(c)]; }

  std::vector<Matrix> E_;  // (n, n) a class; empty: of_blocks
  Matrix L_;               // sum_c E_c = L L^T
  std::vector<Matrix> F_;  // (r, n) a class: E_ab = [a = b] E_a -+ F_a^T F_b
  double log_det_ = 0;
};

}  // namespace ggpm::internal
