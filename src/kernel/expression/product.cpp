// Products of kernels: tiles multiply; the adjoint of a factor is that of the product times all
// other factors.
#include "kernel/expression/composite.hpp"

namespace ggpm::internal::kern {
namespace {

class ProductTiles final : public Tiles {
 public:
  explicit ProductTiles(std::vector<std::unique_ptr<Tiles>> factors)
      : factors_(std::move(factors)), values_(factors_.size()), after_(factors_.size()) {}

  const Tile& evaluate(const Block& block) override {
    K_.reshape(block);
    K_.array().setOnes();
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      values_[f] = &factors_[f]->evaluate(block);
      K_.array() *= values_[f]->array();
    }
    return K_;
  }

  // Kbar_f = Kbar (factors before f) (factors after f), so that a factor of 0 needs no division.
  void pull_back(const Tile& Kbar) override {
    const std::size_t last = factors_.size() - 1;
    for (std::size_t f = last; f > 0; --f) {
      after_[f - 1].reshape(Kbar.rows(), Kbar.cols());
      after_[f - 1].array() = values_[f]->array();
      if (f < last) after_[f - 1].array() *= after_[f].array();
    }
    before_.reshape(Kbar.rows(), Kbar.cols());
    adjoint_.reshape(Kbar.rows(), Kbar.cols());
    before_.array() = Kbar.array();
    for (std::size_t f = 0; f < last; ++f) {
      adjoint_.array() = before_.array() * after_[f].array();
      factors_[f]->pull_back(adjoint_);
      before_.array() *= values_[f]->array();
    }
    factors_[last]->pull_back(before_);
  }

  void append_gradient(std::vector<double>& gradient) const override {
    for (const auto& factor : factors_) factor->append_gradient(gradient);
  }

 private:
  const std::vector<std::unique_ptr<Tiles>> factors_;
  std::vector<const Tile*> values_;  // of the factors, which own them
  std::vector<Tile> after_;          // [f]: product of the factors after f
  Tile K_, before_, adjoint_;
};

class Product final : public Composite {
 public:
  using Composite::Composite;

  // A factor is a leaf or a sum, and a sum needs parentheses.
  std::string text() const override {
    std::string out;
    for (const NodePtr& factor : terms()) {
      const bool is_sum = factor->depth() > 0;
      out += (out.empty() ? "" : " * ") + (is_sum ? "(" + factor->text() + ")" : factor->text());
    }
    return out;
  }
  std::unique_ptr<Tiles> tiles(const Inputs& inputs) const override {
    return std::make_unique<ProductTiles>(tiles_of_terms(inputs));
  }
  Vector diagonal(const Matrix& X) const override {
    Vector out = Vector::Ones(X.rows());
    for (const NodePtr& factor : terms()) out.array() *= factor->diagonal(X).array();
    return out;
  }
  void pull_back_diagonal(const Matrix& X,
                          const Vector& kbar,
                          std::vector<double>& gradient) const override {
    std::vector<Vector> after = {Vector::Ones(X.rows())};  // from the last factor to the first
    for (std::size_t f = terms().size() - 1; f > 0; --f)
      after.emplace_back(after.back().cwiseProduct(terms()[f]->diagonal(X)));
    Vector before = kbar;
    for (const NodePtr& factor : terms()) {
      factor->pull_back_diagonal(X, before.cwiseProduct(after.back()), gradient);
      after.pop_back();
      before.array() *= factor->diagonal(X).array();
    }
  }

 private:
  NodePtr with_terms(std::vector<NodePtr> terms) const override {
    return std::make_shared<Product>(std::move(terms));
  }
};

}  // namespace

NodePtr make_product(const NodePtr& a, const NodePtr& b) { return join<Product>(a, b); }

}  // namespace ggpm::internal::kern
