// v (x.z + offset)^degree.
#include "kernel/expression/type.hpp"
#include "kernel/tiles/inner.hpp"

namespace ggpm::internal::kern {
namespace {

// base^exponent, entry by entry, by repeated multiplication: right for negative bases.
template <class Result, class Base>
void power(const Base& base, int exponent, Result&& result) {
  result.setOnes();
  for (int bit = 1 << 30; bit > 0; bit >>= 1) {
    if (bit > exponent) continue;
    result *= result;
    if ((exponent & bit) != 0) result *= base;
  }
}

class PolyTiles final : public Tiles {
 public:
  PolyTiles(const Numbers& numbers, const Inputs& inputs)
      : variance_(numbers.scalar(0)),
        offset_(numbers.scalar(1)),
        degree_(numbers.degree),
        products_(inputs, Vector::Ones(1)) {}

  const Tile& evaluate(const Block& block) override {
    products_.evaluate(block, base_);
    base_.array() += offset_;
    lower_.reshape(block);
    K_.reshape(block);
    power(base_.array(), degree_ - 1, lower_.array());
    K_.array() = variance_ * base_.array() * lower_.array();
    return K_;
  }

  // dK/d log v = K,  dK/d log offset = v degree (x.z + offset)^(degree - 1) offset.
  void pull_back(const Tile& Kbar) override {
    variance_gradient_ += (Kbar.array() * K_.array()).sum();
    offset_gradient_ += variance_ * degree_ * offset_ * (Kbar.array() * lower_.array()).sum();
  }

  void append_gradient(std::vector<double>& gradient) const override {
    gradient.push_back(variance_gradient_);
    gradient.push_back(offset_gradient_);
  }

 private:
  const double variance_, offset_;
  const int degree_;
  InnerProducts products_;
  double variance_gradient_ = 0, offset_gradient_ = 0;
  Tile base_, lower_, K_;  // lower: base^(degree - 1)
};

std::unique_ptr<Tiles> make_poly(const Numbers& numbers, const Inputs& inputs) {
  return std::make_unique<PolyTiles>(numbers, inputs);
}

Matrix poly_diagonal(const Numbers& numbers, const Matrix& X) {
  const double variance = numbers.scalar(0), offset = numbers.scalar(1);
  const Eigen::ArrayXd base = X.rowwise().squaredNorm().array() + offset;
  Eigen::ArrayXd lower(base.size());
  power(base, numbers.degree - 1, lower);
  Matrix out(X.rows(), 3);
  out.col(0) = variance * base * lower;
  out.col(1) = out.col(0);
  out.col(2) = variance * numbers.degree * offset * lower;
  return out;
}

constexpr ParameterSpec kPolyParameters[] = {kVariance, {"offset", Role::shape, kWide}};

}  // namespace

constinit const KernelType kPoly = {.name = "poly",
                                    .formula = "v (x.z + offset)^degree",
                                    .parameters = kPolyParameters,
                                    .has_degree = true,
                                    .tiles = make_poly,
                                    .diagonal = poly_diagonal};

}  // namespace ggpm::internal::kern
