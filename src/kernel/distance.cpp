#include "kernel/distance.hpp"

namespace ggpm::kern {
namespace {

// Differences first, then the scale: inputs with a large common offset lose nothing.
class DirectDistance final : public Distance {
 public:
  DirectDistance(const Inputs& inputs, Vector scale)
      : X_(inputs.X),
        Z_(&inputs.Z == &inputs.X ? Matrix() : inputs.Z),
        shared_(&inputs.Z == &inputs.X),
        scale_(std::move(scale)) {}

  void squared(const Block& block, Tile& r2) override {
    block_ = block;
    r2.reshape(block);
    const Matrix& Z = shared_ ? X_ : Z_;
    for (Index j = 0; j < block.cols; ++j) {
      auto column = r2.array().col(j);
      column.setZero();
      for (Index d = 0; d < X_.cols(); ++d)
        column += ((x(d) - Z(block.col + j, d)) * scale_(d)).square();
    }
  }

  void pull_back(Tile& G, Vector& S) override {
    const Matrix& Z = shared_ ? X_ : Z_;
    for (Index d = 0; d < X_.cols(); ++d) {
      double sum = 0;
      for (Index j = 0; j < block_.cols; ++j)
        sum += (G.array().col(j) * ((x(d) - Z(block_.col + j, d)) * scale_(d)).square()).sum();
      S(d) += sum;
    }
  }

 private:
  Eigen::Map<const Eigen::ArrayXd> x(Index d) const {
    return {X_.data() + d * X_.rows() + block_.row, block_.rows};
  }

  const Matrix X_, Z_;  // (n, d), (m, d); Z_ is empty if it would be X_
  const bool shared_;
  const Vector scale_;  // (d)
  Block block_{};
};

}  // namespace

Vector capped_scale(const Inputs& inputs, const Vector& scale) {
  constexpr double kLargestScaled = 1e100;
  Vector out = scale.size() == 1 ? Vector::Constant(inputs.X.cols(), scale(0)) : scale;
  for (Index d = 0; d < out.size(); ++d) {
    double largest = 0;
    if (inputs.X.rows() > 0) largest = inputs.X.col(d).cwiseAbs().maxCoeff();
    if (inputs.Z.rows() > 0) largest = std::max(largest, inputs.Z.col(d).cwiseAbs().maxCoeff());
    if (largest * out(d) > kLargestScaled) out(d) = kLargestScaled / largest;
  }
  return out;
}

std::unique_ptr<Distance> make_distance(const Inputs& inputs, const Vector& scale) {
  return inputs.X.cols() <= kFewInputs ? make_direct_distance(inputs, scale)
                                       : make_product_distance(inputs, scale);
}

std::unique_ptr<Distance> make_direct_distance(const Inputs& inputs, const Vector& scale) {
  return std::make_unique<DirectDistance>(inputs, capped_scale(inputs, scale));
}

}  // namespace ggpm::kern
