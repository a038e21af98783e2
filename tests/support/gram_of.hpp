// A gram, by whichever engine is the default, whose K is a given positive definite matrix.
#pragma once

#include "gram/engine.hpp"
#include "support/algebra.hpp"

namespace ggpm::testing_support {

using namespace internal;  // NOLINT: tests look inside

class GramOf {
 public:
  // K is that of a linear kernel at the rows of its factor.
  explicit GramOf(const Matrix& K) {
    const Kernel kernel = Kernel::parse("linear(1)").bind(K.cols());
    engine_ = make_engine({}, std::make_shared<const Matrix>(cholesky_of(K)), kernel);
    gram_ = engine_->make_gram();
    gram_->build(kernel);
  }
  Gram& operator*() const { return *gram_; }
  Gram* operator->() const { return gram_.get(); }

 private:
  std::shared_ptr<const Engine> engine_;
  std::unique_ptr<Gram> gram_;
};

}  // namespace ggpm::testing_support
