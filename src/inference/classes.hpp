// Inference with one latent function a class, all of them with the same kernel: blocks of C x C
// numbers where other likelihoods have scalar sites (docs/several-classes.md). Laplace and KLD, with
// a dense K.
//
// Numbers of latents are class by class: latent c of row i has place c n + i. Blocks likewise: entry
// (a, b) of row i has place (a C + b) n + i. So a Posterior of several classes has vectors of C n
// numbers, and C^2 n in sites.precision and cavity_variance.
#pragma once

#include <vector>

#include "ggpm/inference.hpp"

namespace ggpm::internal {

// E = (K + P^-1)^-1 for K the same for each class and blocks P, from which everything follows:
//   mean = K alpha, alpha = shift - E K shift,   covariance = K - K E K
// P may be singular, as blocks of softmax are.
class ClassConditional {
 public:
  // P_i = diag(d_i) - d_i d_i^T / sum(d_i): C + 1 factorizations of n rows.
  //   E_ab = [a = b] E_a - E_a (sum_c E_c)^-1 E_b,   E_c = (K + D_c^-1)^-1
  //                                             (Rasmussen and Williams 2006, algorithm 3.3)
  static ClassConditional of_probabilities(const Matrix& K, const Matrix& d);  // d (n, C)
  // Any blocks whose rows sum to 0: one factorization of n (C-1) rows.
  static ClassConditional of_blocks(const Matrix& K, const Vector& blocks);

  Matrix apply(const Matrix& x) const;         // E x, (n, C)
  double log_det() const { return log_det_; }  // log|I + K P|
  Matrix summed() const;                       // (n, n) sum_c E_cc
  // (m, C^2) covariances of the latents at places with cross covariances k (n, m) and variance
  // `prior` (m).
  Matrix covariances(const Matrix& k, const Vector& prior) const;

 private:
  const std::vector<Matrix>& factors() const;

  std::vector<Matrix> E_;          // (n, n) a class; empty: of_blocks
  Matrix L_;                       // sum_c E_c = L L^T
  mutable std::vector<Matrix> F_;  // (r, n) a class: E_ab = [a = b] E_a -+ F_a^T F_b
  double log_det_ = 0;
};

// UsageError for methods, means and offsets that have no meaning here.
Inferred infer_classes(const Kernel& kernel,
                       const Mean& mean,
                       const Likelihood& likelihood,
                       const Matrix& X,
                       std::span<const Row> rows,
                       const InferenceOptions& options,
                       const Posterior* warm);

// The latent functions at new inputs. Immutable.
class ClassPredictor {
 public:
  // `weight` (n) of the rows; empty: 1.
  ClassPredictor(const Kernel& kernel,
                 std::shared_ptr<const Matrix> X,
                 const Vector& weight,
                 const Posterior& posterior,
                 InferenceMethod method);
  // mean (m, C), covariance (m, C^2)
  void predict(const Matrix& Z, Matrix& mean, Matrix& covariance) const;

 private:
  Kernel kernel_;
  std::shared_ptr<const Matrix> X_;
  Matrix alpha_;  // (n, C)
  ClassConditional conditional_;
};

}  // namespace ggpm::internal
