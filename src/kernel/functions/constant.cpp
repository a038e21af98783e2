// constant: v everywhere. white: v where a row meets itself, so never in K(X, Z).
#include "kernel/expression/type.hpp"

namespace ggpm::internal::kern {
namespace {

class ConstantTiles final : public Tiles {
 public:
  ConstantTiles(const Numbers& numbers, const Inputs&) : variance_(numbers.scalar(0)) {}

  const Tile& evaluate(const Block& block) override {
    K_.reshape(block);
    K_.array().setConstant(variance_);
    return K_;
  }
  void pull_back(const Tile& Kbar) override { gradient_ += variance_ * Kbar.array().sum(); }
  void append_gradient(std::vector<double>& gradient) const override {
    gradient.push_back(gradient_);
  }

 private:
  const double variance_;
  double gradient_ = 0;
  Tile K_;
};

class WhiteTiles final : public Tiles {
 public:
  WhiteTiles(const Numbers& numbers, const Inputs& inputs)
      : variance_(inputs.gram ? numbers.scalar(0) : 0) {}

  const Tile& evaluate(const Block& block) override {
    block_ = block;
    K_.reshape(block);
    K_.array().setZero();
    for_diagonal([&](Index i, Index j) { K_.array()(i, j) = variance_; });
    return K_;
  }
  void pull_back(const Tile& Kbar) override {
    for_diagonal([&](Index i, Index j) { gradient_ += variance_ * Kbar.array()(i, j); });
  }
  void append_gradient(std::vector<double>& gradient) const override {
    gradient.push_back(gradient_);
  }

 private:
  template <class Visit>
  void for_diagonal(const Visit& visit) const {
    for (Index j = 0; j < block_.cols; ++j) {
      const Index i = block_.col + j - block_.row;
      if (i >= 0 && i < block_.rows) visit(i, j);
    }
  }

  const double variance_;
  double gradient_ = 0;
  Block block_{};
  Tile K_;
};

template <class Type>
std::unique_ptr<Tiles> make(const Numbers& numbers, const Inputs& inputs) {
  return std::make_unique<Type>(numbers, inputs);
}

constexpr ParameterSpec kConstantParameters[] = {kVariance};

}  // namespace

constinit const KernelType kConstant = {.name = "constant",
                                        .formula = "v",
                                        .parameters = kConstantParameters,
                                        .sees_inputs = false,
                                        .tiles = make<ConstantTiles>};
constinit const KernelType kWhite = {.name = "white",
                                     .formula = "v where a row meets itself, 0 elsewhere",
                                     .parameters = kConstantParameters,
                                     .sees_inputs = false,
                                     .tiles = make<WhiteTiles>};

}  // namespace ggpm::internal::kern
