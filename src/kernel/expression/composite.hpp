// What sums and products share.
#pragma once

#include <algorithm>

#include "kernel/expression/classes.hpp"
#include "kernel/expression/node.hpp"

namespace ggpm::internal::kern {

class Composite : public KernelNode {
 public:
  explicit Composite(std::vector<NodePtr> terms) : terms_(std::move(terms)) {
    for (const NodePtr& term : terms_) {
      depth_ = std::max(depth_, 1 + term->depth());
      leaves_ += term->leaves();
    }
    if (depth_ > kMaxDepth)
      throw UsageError("kernel: nested more than " + std::to_string(kMaxDepth) + " deep");
    if (leaves_ > kMaxLeaves)
      throw UsageError("kernel: more than " + std::to_string(kMaxLeaves) +
                       " kernels in one expression");
  }

  const std::vector<NodePtr>& terms() const { return terms_; }

  void visit(const std::function<void(const Leaf&)>& look) const override {
    for (const NodePtr& term : terms_) term->visit(look);
  }
  NodePtr transform(const std::function<void(Leaf&)>& change) const override {
    std::vector<NodePtr> changed;
    for (const NodePtr& term : terms_) changed.push_back(term->transform(change));
    return with_terms(std::move(changed));
  }
  int depth() const override { return depth_; }
  int leaves() const override { return leaves_; }

 protected:
  virtual NodePtr with_terms(std::vector<NodePtr> terms) const = 0;

  std::vector<std::unique_ptr<Tiles>> tiles_of_terms(const Inputs& inputs) const {
    std::vector<std::unique_ptr<Tiles>> tiles;
    for (const NodePtr& term : terms_) tiles.push_back(term->tiles(inputs));
    return tiles;
  }

 private:
  std::vector<NodePtr> terms_;
  int depth_ = 0, leaves_ = 0;
};

// a and b under one node; those that are of this kind already bring their terms.
template <class Kind>
NodePtr join(const NodePtr& a, const NodePtr& b) {
  std::vector<NodePtr> terms;
  for (const NodePtr& node : {a, b}) {
    refuse_classes(node);
    if (const auto* same = dynamic_cast<const Kind*>(node.get()))
      terms.insert(terms.end(), same->terms().begin(), same->terms().end());
    else
      terms.push_back(node);
  }
  return std::make_shared<Kind>(std::move(terms));
}

}  // namespace ggpm::internal::kern
