#include "ggpm/inference.hpp"
#include "gram/dense.hpp"

namespace ggpm {

struct LatentPredictor::State {
  std::unique_ptr<const Conditional> conditional;
};

LatentPredictor::LatentPredictor(const Kernel& kernel, Matrix X, const Posterior& posterior)
    : state_(new State{make_dense_conditional(kernel, std::move(X), posterior)}) {}

LatentPredictor::~LatentPredictor() = default;
LatentPredictor::LatentPredictor(LatentPredictor&&) noexcept = default;
LatentPredictor& LatentPredictor::operator=(LatentPredictor&&) noexcept = default;

void LatentPredictor::predict(const Matrix& Z,
                              const Vector& prior_mean,
                              Vector& mean,
                              Vector& variance) const {
  if (prior_mean.size() != Z.rows())
    throw UsageError("predict: the prior mean needs one number per row");
  Vector shift;
  state_->conditional->predict(Z, shift, variance);
  mean = prior_mean + shift;
}

Matrix LatentPredictor::covariance(const Matrix& Z) const {
  return state_->conditional->covariance(Z);
}

}  // namespace ggpm
