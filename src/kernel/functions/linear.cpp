// v x.z, or sum_d v_d x_d z_d.
#include "kernel/expression/type.hpp"
#include "kernel/tiles/inner.hpp"

namespace ggpm::internal::kern {
namespace {

class LinearTiles final : public Tiles {
 public:
  LinearTiles(const Numbers& numbers, const Inputs& inputs)
      : products_(inputs, numbers.values[0]), gradient_(Vector::Zero(numbers.values[0].size())) {}

  const Tile& evaluate(const Block& block) override {
    products_.evaluate(block, K_);
    return K_;
  }

  void pull_back(const Tile& Kbar) override {
    if (gradient_.size() == 1)
      gradient_(0) += (Kbar.array() * K_.array()).sum();
    else
      products_.pull_back(Kbar, gradient_);
  }

  void append_gradient(std::vector<double>& gradient) const override {
    gradient.insert(gradient.end(), gradient_.begin(), gradient_.end());
  }

 private:
  InnerProducts products_;
  Vector gradient_;  // (1) or (d)
  Tile K_;
};

std::unique_ptr<Tiles> make_linear(const Numbers& numbers, const Inputs& inputs) {
  return std::make_unique<LinearTiles>(numbers, inputs);
}

Matrix linear_diagonal(const Numbers& numbers, const Matrix& X) {
  const Vector& variance = numbers.values[0];
  Matrix out(X.rows(), 1 + variance.size());
  if (variance.size() == 1) {
    out.col(1) = variance(0) * X.rowwise().squaredNorm();
  } else {
    out.rightCols(variance.size()) = X.cwiseAbs2() * variance.asDiagonal();
  }
  out.col(0) = out.rightCols(variance.size()).rowwise().sum();
  return out;
}

constexpr ParameterSpec kLinearParameters[] = {{"variance", Role::variance, kWide, true}};

}  // namespace

constinit const KernelType kLinear = {.name = "linear",
                                      .formula = "v x.z; one v per input: sum_d v_d x_d z_d",
                                      .parameters = kLinearParameters,
                                      .tiles = make_linear,
                                      .diagonal = linear_diagonal};

}  // namespace ggpm::internal::kern
