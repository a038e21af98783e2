// Kernels of a scaled distance: v k(r^2), r^2 = sum_d (x_d - z_d)^2 / l_d^2.
//
// A Shape says k; with respect to log l_d,
//   dK/d log l_d = v k w (x_d - z_d)^2 / l_d^2,   w = -2 k'(r^2) / k(r^2).
#pragma once

#include <memory>

#include "kernel/expression/type.hpp"
#include "kernel/tiles/distance.hpp"

namespace ggpm::internal::kern {

// struct Shape {
//   explicit Shape(const Numbers& numbers);
//   void value(const Tile& r2, double v, Tile& K);         K <- v k(r2)
//   void weigh(const Tile& r2, Tile& G);                   G <- G w
//   double pull_back_extra(const Tile& r2, const Tile& G);
//                                      optional: sum G d log k / d log(parameter 2)
// };
template <class Shape>
class StationaryTiles final : public Tiles {
 public:
  StationaryTiles(const Numbers& numbers, const Inputs& inputs)
      : shape_(numbers),
        distance_(make_distance(inputs, numbers.values[1].cwiseInverse())),
        variance_(numbers.scalar(0)),
        lengthscale_gradient_(Vector::Zero(numbers.values[1].size())) {}

  const Tile& evaluate(const Block& block) override {
    distance_->squared(block, r2_);
    K_.reshape(block);
    shape_.value(r2_, variance_, K_);
    return K_;
  }

  void pull_back(const Tile& Kbar) override {
    G_.reshape(Kbar.rows(), Kbar.cols());
    G_.array() = Kbar.array() * K_.array();
    variance_gradient_ += G_.array().sum();
    if constexpr (kHasExtra) extra_gradient_ += shape_.pull_back_extra(r2_, G_);
    shape_.weigh(r2_, G_);
    if (lengthscale_gradient_.size() == 1)
      lengthscale_gradient_(0) += (G_.array() * r2_.array()).sum();
    else
      distance_->pull_back(G_, lengthscale_gradient_);
  }

  void append_gradient(std::vector<double>& gradient) const override {
    gradient.push_back(variance_gradient_);
    gradient.insert(gradient.end(), lengthscale_gradient_.begin(), lengthscale_gradient_.end());
    if constexpr (kHasExtra) gradient.push_back(extra_gradient_);
  }

 private:
  static constexpr bool kHasExtra = requires(Shape shape, const Tile& tile) {
    shape.pull_back_extra(tile, tile);
  };

  Shape shape_;
  std::unique_ptr<Distance> distance_;
  double variance_;
  double variance_gradient_ = 0, extra_gradient_ = 0;
  Vector lengthscale_gradient_;  // (1) or (d)
  Tile r2_, K_, G_;
};

template <class Shape>
std::unique_ptr<Tiles> make_stationary(const Numbers& numbers, const Inputs& inputs) {
  return std::make_unique<StationaryTiles<Shape>>(numbers, inputs);
}

inline constexpr ParameterSpec kLengthscale = {"lengthscale", Role::lengthscale, kOpen, true};
inline constexpr ParameterSpec kVarianceLengthscale[] = {kVariance, kLengthscale};

}  // namespace ggpm::internal::kern
