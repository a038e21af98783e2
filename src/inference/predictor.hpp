// What a predictor of latents is made of.
#pragma once

#include "ggpm/inference.hpp"
#include "gram/engine.hpp"

namespace ggpm {

struct LatentPredictor::State {
  std::shared_ptr<const internal::Engine> engine;  // which the conditional refers to
  std::unique_ptr<const internal::Conditional> conditional;
};

}  // namespace ggpm

namespace ggpm::internal {

// For whoever has inputs and no engine.
inline std::shared_ptr<const Engine> dense_engine(Matrix X) {
  auto shared = std::make_shared<const Matrix>(std::move(X));
  return make_engine({.name = "dense"}, shared, kernels::rbf());
}

}  // namespace ggpm::internal
