// Kernel: values and names on top of the tree, and the walk over tiles below it.
#include "ggpm/kernel.hpp"

#include <algorithm>
#include <map>

#include "kernel/expression/classes.hpp"
#include "kernel/expression/type.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

using kern::Leaf;
using kern::Sign;
using kern::Value;
using kern::Values;

// "rbf", and "rbf#2" for the second one.
class Namer {
 public:
  std::string next(const Leaf& leaf) {
    const int count = ++counts_[leaf.type->name];
    return std::string(leaf.type->name) + (count == 1 ? "" : "#" + std::to_string(count));
  }

 private:
  std::map<std::string_view, int> counts_;
};

// Where a scalar stands: element `element` of parameter `parameter` of its leaf.
struct Slot {
  std::string name, list;  // "rbf.lengthscale[2]", and without its [index]
  std::size_t parameter, element;
};

// Calls visit(slot, value) for every scalar, in order.
template <class LeafType, class Visit>
void for_each_value(LeafType& leaf, Namer& namer, const Visit& visit) {
  const std::string prefix = namer.next(leaf) + ".";
  for (std::size_t p = 0; p < leaf.values.size(); ++p) {
    const std::string list = prefix + std::string(leaf.type->parameters[p].name);
    auto& values = leaf.values[p];
    for (std::size_t i = 0; i < values.items.size(); ++i)
      visit(Slot{values.is_list ? list + "[" + std::to_string(i + 1) + "]" : list, list, p, i},
            values.items[i]);
  }
}

}  // namespace

Kernel::Kernel(std::shared_ptr<const KernelNode> root) : root_(std::move(root)) {}

Kernel Kernel::parse(std::string_view text) { return Kernel(kern::parse_kernel(text)); }

std::string Kernel::text() const { return root_->text(); }

Kernel Kernel::bind(Index dimensions,
                    std::span<const std::string> column_names,
                    std::span<const double> units) const {
  return Kernel(root_->transform([&](Leaf& leaf) { leaf.bind(dimensions, column_names, units); }));
}

Index Kernel::dimensions() const {
  Index out = 0;
  root_->visit([&](const Leaf& leaf) { out = std::max(out, leaf.dimensions); });
  bool all = true;
  root_->visit([&](const Leaf& leaf) { all = all && leaf.dimensions == out; });
  return all ? out : 0;
}

std::vector<Parameter> Kernel::parameters() const {
  std::vector<Parameter> out;
  Namer namer;
  root_->visit([&](const Leaf& leaf) {
    for_each_value(leaf, namer, [&](const Slot& slot, const Value& value) {
      const kern::ParameterSpec& spec = leaf.type->parameters[slot.parameter];
      Parameter& p = out.emplace_back(
          kern::to_parameter(value, slot.name, Sign::positive, spec.bounds, spec.role));
      p.inputs = leaf.inputs_of(slot.parameter, slot.element);
      if (slot.list != slot.name) p.list = slot.list;
    });
  });
  return out;
}

std::vector<double> Kernel::units() const {
  std::vector<double> out;
  Namer namer;
  root_->visit([&](const Leaf& leaf) {
    for_each_value(leaf, namer, [&](const Slot& slot, const Value&) {
      out.push_back(leaf.unit_of(slot.parameter, slot.element));
    });
  });
  return out;
}

std::vector<Prior> Kernel::priors() const {
  std::vector<Prior> out;
  root_->visit([&](const Leaf& leaf) {
    for (const Values& values : leaf.values)
      for (const Value& item : values.items) out.push_back(item.prior);
  });
  return out;
}

Kernel Kernel::with_values(std::span<const double> values) const {
  std::size_t next = 0;
  Namer namer;
  Kernel out(root_->transform([&](Leaf& leaf) {
    for_each_value(leaf, namer, [&](const Slot& slot, Value& value) {
      if (next < values.size()) kern::assign(value, values[next], Sign::positive, slot.name);
      ++next;
    });
  }));
  if (next != values.size())
    throw UsageError("kernel " + in_quotes(text()) + ": " + std::to_string(values.size()) +
                     " values for " + std::to_string(next) + " parameters");
  return out;
}

std::vector<KernelTerm> Kernel::terms() const {
  std::vector<KernelTerm> out;
  Namer namer;
  const std::vector<kern::NodePtr> of_classes = kern::class_kernels(root_);
  for (const kern::NodePtr& node : of_classes.empty() ? kern::summands(root_) : of_classes) {
    KernelTerm term{.name = {}, .type = {}, .inputs = {}, .kernel = Kernel(node)};
    node->visit(
        [&](const Leaf& leaf) { term.name += (term.name.empty() ? "" : "*") + namer.next(leaf); });
    if (const auto* leaf = dynamic_cast<const Leaf*>(node.get())) {
      term.type = leaf->type->name;
      term.inputs = leaf->inputs();
    }
    out.push_back(std::move(term));
  }
  return out;
}

Kernel operator+(const Kernel& a, const Kernel& b) {
  return Kernel(kern::make_sum(a.root_, b.root_));
}
Kernel operator*(const Kernel& a, const Kernel& b) {
  return Kernel(kern::make_product(a.root_, b.root_));
}

namespace kernels {
namespace {

Values to_values(const PerInput& given) {
  Values out{.items = {}, .is_list = given.is_list};
  for (const double value : given.values) out.items.push_back({.value = value});
  return out;
}

Kernel make(const kern::KernelType& type, const std::vector<PerInput>& values, int degree = 2) {
  const auto leaf = std::make_shared<Leaf>(type);
  for (std::size_t p = 0; p < values.size(); ++p) leaf->values[p] = to_values(values[p]);
  leaf->degree = degree;
  return Kernel::parse(leaf->text());  // judges the values as it judges a text
}

}  // namespace

Kernel rbf(double variance, const PerInput& lengthscale) {
  return make(kern::kRbf, {variance, lengthscale});
}
Kernel matern12(double variance, const PerInput& lengthscale) {
  return make(kern::kMatern12, {variance, lengthscale});
}
Kernel matern32(double variance, const PerInput& lengthscale) {
  return make(kern::kMatern32, {variance, lengthscale});
}
Kernel matern52(double variance, const PerInput& lengthscale) {
  return make(kern::kMatern52, {variance, lengthscale});
}
Kernel rq(double variance, const PerInput& lengthscale, double alpha) {
  return make(kern::kRq, {variance, lengthscale, alpha});
}
Kernel periodic(double variance, const PerInput& lengthscale, double period) {
  return make(kern::kPeriodic, {variance, lengthscale, period});
}
Kernel linear(const PerInput& variance) { return make(kern::kLinear, {variance}); }
Kernel poly(double variance, double offset, int degree) {
  return make(kern::kPoly, {variance, offset}, degree);
}
Kernel constant(double variance) { return make(kern::kConstant, {variance}); }
Kernel white(double variance) { return make(kern::kWhite, {variance}); }

}  // namespace kernels

}  // namespace ggpm
