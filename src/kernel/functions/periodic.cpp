// v exp(-2 sum_d sin^2(pi (x_d - z_d) / p) / l_d^2).
//
// With f_d = (cos, sin)(2 pi x_d / p) we have |f_d(x) - f_d(z)|^2 = 4 sin^2(pi (x_d - z_d) / p), so
// this is rbf of the points f(x) on circles.
#include <cmath>
#include <numbers>

#include "kernel/functions/stationary.hpp"

namespace ggpm::internal::kern {
namespace {

// (n, 2d): cosines, then sines. remainder() is exact, so that neither an offset nor a tiny period
// costs digits of the angle.
Matrix circles(const Matrix& X, double period) {
  const Eigen::ArrayXXd angle = X.unaryExpr(
      [period](double x) { return 2 * std::numbers::pi * (std::remainder(x, period) / period); });
  Matrix f(X.rows(), 2 * X.cols());
  f << angle.cos().matrix(), angle.sin().matrix();
  return f;
}

class PeriodicTiles final : public Tiles {
 public:
  PeriodicTiles(const Numbers& numbers, const Inputs& inputs)
      : variance_(numbers.scalar(0)),
        period_(numbers.scalar(2)),
        shared_(&inputs.Z == &inputs.X),
        X_(inputs.X),
        Z_(shared_ ? Matrix() : inputs.Z),
        fX_(circles(inputs.X, period_)),
        fZ_(shared_ ? Matrix() : circles(inputs.Z, period_)),
        inverse_(numbers.values[1].cwiseInverse()),
        distance_gradient_(Vector::Zero(2 * inputs.X.cols())) {
    const Vector scale = inverse_.size() == 1 ? inverse_ : Vector(inverse_.replicate(2, 1));
    distance_ = make_distance({fX_, shared_ ? fX_ : fZ_, inputs.gram}, scale);
  }

  const Tile& evaluate(const Block& block) override {
    block_ = block;
    distance_->squared(block, r2_);
    K_.reshape(block);
    exponential(r2_, -0.5, variance_, K_);
    return K_;
  }

  void pull_back(const Tile& Kbar) override {
    G_.reshape(Kbar.rows(), Kbar.cols());
    G_.array() = Kbar.array() * K_.array();
    variance_gradient_ += G_.array().sum();
    pull_back_period();
    if (inverse_.size() == 1)
      distance_gradient_(0) += (G_.array() * r2_.array()).sum();
    else
      distance_->pull_back(G_, distance_gradient_);
  }

  void append_gradient(std::vector<double>& gradient) const override {
    gradient.push_back(variance_gradient_);
    const Index d = X_.cols();
    for (Index i = 0; i < inverse_.size(); ++i)
      gradient.push_back(inverse_.size() == 1 ? distance_gradient_(0)
                                              : distance_gradient_(i) + distance_gradient_(d + i));
    gradient.push_back(period_gradient_);
  }

 private:
  // dK/d log p = K sum_d (2 / l_d^2) sin(a_d) a_d / 2, a = 2 pi (x - z) / p, and the sine from the
  // cosines and sines of the points.
  void pull_back_period() {
    const Matrix& Z = shared_ ? X_ : Z_;
    const Matrix& fZ = shared_ ? fX_ : fZ_;
    const Index d = X_.cols();
    for (Index k = 0; k < d; ++k) {
      const auto x = X_.col(k).segment(block_.row, block_.rows).array();
      const auto cosine = fX_.col(k).segment(block_.row, block_.rows).array();
      const auto sine = fX_.col(d + k).segment(block_.row, block_.rows).array();
      double sum = 0;
      for (Index j = 0; j < block_.cols; ++j) {
        const Index row = block_.col + j;
        const auto sine_of_difference = sine * fZ(row, k) - cosine * fZ(row, d + k);
        sum += (G_.array().col(j) * sine_of_difference * (x - Z(row, k))).sum();
      }
      const double inverse = inverse_(inverse_.size() == 1 ? 0 : k);
      period_gradient_ += inverse * inverse * (2 * std::numbers::pi / period_) * sum;
    }
  }

  const double variance_, period_;
  const bool shared_;                   // Z is X
  const Matrix X_, Z_;                  // (n, d), (m, d)
  const Matrix fX_, fZ_;                // (n, 2d), (m, 2d)
  const Vector inverse_;                // 1 / lengthscale, (1) or (d)
  std::unique_ptr<Distance> distance_;  // of fX_ and fZ_
  double variance_gradient_ = 0, period_gradient_ = 0;
  Vector distance_gradient_;  // (2d), or only its first entry
  Block block_{};
  Tile r2_, K_, G_;
};

std::unique_ptr<Tiles> make_periodic(const Numbers& numbers, const Inputs& inputs) {
  return std::make_unique<PeriodicTiles>(numbers, inputs);
}

constexpr ParameterSpec kPeriodicParameters[] = {
    kVariance, kLengthscale, {"period", Role::period, kOpen}};

}  // namespace

constinit const KernelType kPeriodic = {.name = "periodic",
                                        .formula = "v exp(-2 sum_d sin^2(pi (x_d - z_d)/p) / l^2)",
                                        .parameters = kPeriodicParameters,
                                        .tiles = make_periodic};

}  // namespace ggpm::internal::kern
