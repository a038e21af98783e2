// Sums of kernels: tiles add, an adjoint goes to every term as it is.
#include "kernel/expression/composite.hpp"

namespace ggpm::internal::kern {
namespace {

class SumTiles final : public Tiles {
 public:
  explicit SumTiles(std::vector<std::unique_ptr<Tiles>> terms) : terms_(std::move(terms)) {}

  const Tile& evaluate(const Block& block) override {
    K_.reshape(block);
    K_.array().setZero();
    for (const auto& term : terms_) K_.array() += term->evaluate(block).array();
    return K_;
  }
  void pull_back(const Tile& Kbar) override {
    for (const auto& term : terms_) term->pull_back(Kbar);
  }
  void append_gradient(std::vector<double>& gradient) const override {
    for (const auto& term : terms_) term->append_gradient(gradient);
  }

 private:
  const std::vector<std::unique_ptr<Tiles>> terms_;
  Tile K_;
};

class Sum final : public Composite {
 public:
  using Composite::Composite;

  std::string text() const override {
    std::string out;
    for (const NodePtr& term : terms()) out += (out.empty() ? "" : " + ") + term->text();
    return out;
  }
  std::unique_ptr<Tiles> tiles(const Inputs& inputs) const override {
    return std::make_unique<SumTiles>(tiles_of_terms(inputs));
  }
  Vector diagonal(const Matrix& X) const override {
    Vector out = Vector::Zero(X.rows());
    for (const NodePtr& term : terms()) out += term->diagonal(X);
    return out;
  }
  void pull_back_diagonal(const Matrix& X,
                          const Vector& kbar,
                          std::vector<double>& gradient) const override {
    for (const NodePtr& term : terms()) term->pull_back_diagonal(X, kbar, gradient);
  }

 private:
  NodePtr with_terms(std::vector<NodePtr> terms) const override {
    return std::make_shared<Sum>(std::move(terms));
  }
};

}  // namespace

NodePtr make_sum(const NodePtr& a, const NodePtr& b) { return join<Sum>(a, b); }

std::vector<NodePtr> summands(const NodePtr& node) {
  const auto* sum = dynamic_cast<const Sum*>(node.get());
  return sum != nullptr ? sum->terms() : std::vector<NodePtr>{node};
}

}  // namespace ggpm::internal::kern
