#include "kernel/expression/classes.hpp"

#include <fmt/format.h>

#include "kernel/expression/composite.hpp"

namespace ggpm::internal::kern {
namespace {

[[noreturn]] void refuse() {
  throw UsageError(
      "kernel: classes(...) has a kernel for each class of the likelihood softmax; one latent "
      "function has one kernel");
}

// No covariance of one function: whoever evaluates it asks for those of the classes.
class Classes final : public Composite {
 public:
  using Composite::Composite;

  std::string text() const override {
    std::string out;
    for (const NodePtr& term : terms()) out += (out.empty() ? "" : ", ") + term->text();
    return "classes(" + out + ")";
  }
  std::unique_ptr<Tiles> tiles(const Inputs& /*inputs*/) const override { refuse(); }
  Vector diagonal(const Matrix& /*X*/) const override { refuse(); }
  // The diagonals of all classes, each with the same adjoint.
  void pull_back_diagonal(const Matrix& X,
                          const Vector& kbar,
                          std::vector<double>& gradient) const override {
    for (const NodePtr& term : terms()) term->pull_back_diagonal(X, kbar, gradient);
  }

 private:
  NodePtr with_terms(std::vector<NodePtr> terms) const override {
    return std::make_shared<Classes>(std::move(terms));
  }
};

}  // namespace

NodePtr make_classes(std::vector<NodePtr> kernels) {
  for (const NodePtr& kernel : kernels) refuse_classes(kernel);
  return std::make_shared<Classes>(std::move(kernels));
}

std::vector<NodePtr> class_kernels(const NodePtr& node) {
  const auto* classes = dynamic_cast<const Classes*>(node.get());
  return classes != nullptr ? classes->terms() : std::vector<NodePtr>{};
}

void refuse_classes(const NodePtr& part) {
  if (!class_kernels(part).empty())
    throw UsageError("kernel: classes(...) is the whole kernel, not a part of another");
}

}  // namespace ggpm::internal::kern

namespace ggpm::internal {

struct KernelRoot {
  static const kern::NodePtr& of(const Kernel& kernel) { return kernel.root_; }
};

bool has_classes(const Kernel& kernel) {
  return !kern::class_kernels(KernelRoot::of(kernel)).empty();
}

std::vector<Kernel> kernels_of_classes(const Kernel& kernel) {
  if (!has_classes(kernel)) return {kernel};
  std::vector<Kernel> out;
  for (const KernelTerm& of_class : kernel.terms()) out.push_back(of_class.kernel);
  return out;
}

std::vector<Kernel> kernels_of_classes(const Kernel& kernel, Index classes) {
  std::vector<Kernel> out = kernels_of_classes(kernel);
  if (out.size() != 1 && static_cast<Index>(out.size()) != classes)
    throw UsageError(fmt::format(
        "kernel '{}' has {} kernels for {} classes; give one for each, or one that each "
        "has a copy of",
        kernel.text(),
        out.size(),
        classes));
  return out;
}

Kernel copied_for_classes(const Kernel& unbound, int classes) {
  const std::vector<Kernel> given = kernels_of_classes(unbound, classes);
  if (!has_classes(unbound) || given.size() > 1) return unbound;
  std::string copies = given[0].text();
  for (int c = 1; c < classes; ++c) copies += ", " + given[0].text();
  return Kernel::parse("classes(" + copies + ")");
}

}  // namespace ggpm::internal
