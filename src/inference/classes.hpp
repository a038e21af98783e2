// Inference with one latent function a class, whose kernels are the same or their own
// (docs/several-classes.md). Laplace and KLD, with a dense K.
//
// A Posterior of several classes has vectors of C n numbers, and C^2 n in sites.precision and
// cavity_variance, in the order of class_blocks.hpp.
#pragma once

#include "ggpm/inference.hpp"
#include "inference/class_conditional.hpp"

namespace ggpm::internal {

// UsageError for methods, means and kernels that have no meaning here.
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
  std::shared_ptr<const Matrix> X_;
  Matrix alpha_;  // (n, C)
  std::vector<Kernel> kernels_;
  ClassConditional conditional_;
};

}  // namespace ggpm::internal
