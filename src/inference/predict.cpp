#include <memory>
#include <utility>

#include "inference/predictor.hpp"

namespace ggpm {

using namespace internal;

LatentPredictor::LatentPredictor(std::unique_ptr<const State> state) : state_(std::move(state)) {}

LatentPredictor::LatentPredictor(std::shared_ptr<const Engine> engine,
                                 const Kernel& kernel,
                                 const Posterior& posterior) {
  auto conditional = engine->condition(kernel, posterior);
  state_ = std::make_unique<State>(State{std::move(engine), std::move(conditional)});
}

LatentPredictor::LatentPredictor(const Kernel& kernel, Matrix X, const Posterior& posterior)
    : LatentPredictor(dense_engine(std::move(X)), kernel, posterior) {}

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

void LatentPredictor::predict_term(const Kernel& term,
                                   const Matrix& Z,
                                   Vector& mean,
                                   Vector& variance) const {
  state_->conditional->predict_term(term, Z, mean, variance);
}

}  // namespace ggpm
