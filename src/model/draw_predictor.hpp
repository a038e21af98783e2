// The latent function at new inputs, given draws of the latents.
#pragma once

#include "learn/objective.hpp"

namespace ggpm::internal {

// K = L L^T, eta_s = m + L z_s: the function at a new input has mean m* + (L^-1 k*)^T z_s and variance
// k** - |L^-1 k*|^2 given draw s. Nothing is divided by a small number: |L^-1 k*|^2 <= k**.
class DrawPredictor {
 public:
  // UsageError where the engine does not hold the kernel's own matrix.
  DrawPredictor(const LearningTask& task, const Posterior& posterior, const Matrix& draws);

  // (rows, draws) given each draw: the mean, and one number of the Gaussian. Draw s has the same
  // normal number at all rows, so that a row's answer does not depend on its neighbors.
  Matrix means(const Matrix& Z, const Vector& prior_mean) const;
  Matrix draw(const Matrix& Z, const Vector& prior_mean) const;
  Matrix covariance(const Matrix& Z) const;  // given any draw

 private:
  Matrix whitened(const Matrix& Z) const;  // (n, rows) L^-1 k*

  const LearningTask& task_;
  Matrix factor_;  // (n, n) L
  Matrix z_;       // (n, draws)
  Vector noise_;   // (draws) quantiles of a standard normal, in random order
};

// UsageError where mcmc has no prediction: engines that approximate.
void require_dense(const Engine& engine);

}  // namespace ggpm::internal
