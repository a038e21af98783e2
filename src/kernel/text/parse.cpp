// The grammar of kernels (include/ggpm/kernel.hpp shows it by example):
//
//   kernel   = sum | "classes" "(" sum {"," sum} ")"
//   sum      = product {"+" product}
//   product  = factor {"*" factor}
//   factor   = "(" sum ")" | "fixed" "(" sum ")" | name ["(" [argument {"," argument}] ")"]
//   argument = [name "="] setting
#include <algorithm>

#include "kernel/expression/classes.hpp"
#include "kernel/expression/type.hpp"
#include "kernel/text/reader.hpp"
#include "text/text.hpp"

namespace ggpm::internal::kern {
namespace {

constexpr int kHighestDegree = 100;

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const KernelType* type : kernel_types()) names.emplace_back(type->name);
  return names;
}

// The names that may stand before '=', positional ones first.
std::vector<std::string> setting_names(const KernelType& type) {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : type.parameters) names.emplace_back(spec.name);
  if (type.has_degree) names.emplace_back("degree");
  names.insert(names.end(), {"ard", "columns", "metric"});
  return names;
}

// A function of a distance: it has a length-scale, and no period.
bool is_stationary(const KernelType& type) {
  const auto has = [&type](Role role) {
    return std::any_of(type.parameters.begin(),
                       type.parameters.end(),
                       [role](const ParameterSpec& spec) { return spec.role == role; });
  };
  return has(Role::lengthscale) && !has(Role::period);
}

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : reader_("kernel", text) {}

  NodePtr all() {
    const std::size_t start = reader_.position();
    const bool per_class = reader_.accept_word("classes");
    NodePtr out = per_class ? classes(start) : sum();
    reader_.expect_end(per_class ? "" : "'+', '*' or ");
    return out;
  }

 private:
  NodePtr classes(std::size_t start) {
    const Reader::Depth depth(reader_, start);
    const std::size_t opened_at = reader_.position();
    reader_.expect('(', "after classes");
    std::vector<NodePtr> kernels = {sum()};
    while (reader_.accept(',')) kernels.push_back(sum());
    reader_.expect_closing(')', opened_at);
    return make_classes(std::move(kernels));
  }

  NodePtr sum() {
    NodePtr out = product();
    while (reader_.accept('+')) out = make_sum(out, product());
    return out;
  }

  NodePtr product() {
    NodePtr out = factor();
    while (reader_.accept('*')) out = make_product(out, factor());
    return out;
  }

  NodePtr factor() {
    const std::size_t start = reader_.position();
    if (reader_.accept('(')) {
      const Reader::Depth depth(reader_, start);
      NodePtr out = sum();
      reader_.expect_closing(')', start);
      return out;
    }
    if (reader_.accept_word("fixed")) {
      const Reader::Depth depth(reader_, start);
      const std::size_t opened_at = reader_.position();
      reader_.expect('(', "after fixed");
      const NodePtr held = sum();
      reader_.expect_closing(')', opened_at);
      return held->transform([](Leaf& leaf) {
        for (Values& values : leaf.values)
          for (Value& item : values.items) item.fixed = true;
      });
    }
    return leaf();
  }

  NodePtr leaf() {
    const std::size_t start = reader_.position();
    const std::string_view name = reader_.peek_word();
    if (name.empty())
      reader_.fail(start,
                   "expected a kernel, such as rbf(lengthscale=2), found " + reader_.found());
    if (name == "classes")
      reader_.fail(start, "classes(...) is the whole kernel, not a part of another");
    const auto& types = kernel_types();
    const auto found = std::find_if(
        types.begin(), types.end(), [name](const KernelType* type) { return type->name == name; });
    if (found == types.end())
      reader_.fail(start,
                   "unknown kernel " + reader_.found() + text::suggestion(name, type_names()));
    reader_.take_word();
    if (++leaves_ > kMaxLeaves)
      reader_.fail(start, "more than " + std::to_string(kMaxLeaves) + " kernels");

    const auto out = std::make_shared<Leaf>(**found);
    const std::vector<std::string> names = setting_names(**found);
    read_arguments(reader_, name, names, names.size() - 3, [&](std::size_t index, std::size_t at) {
      setting(*out, index, names[index], at);
    });
    check(*out, start);
    return out;
  }

  void setting(Leaf& leaf, std::size_t index, const std::string& name, std::size_t at) {
    const std::size_t start = reader_.position();
    const std::string type(leaf.type->name);
    const auto per_input = [](const ParameterSpec& spec) { return spec.per_input; };
    if (index < leaf.values.size()) {
      leaf.values[index] = read_values(reader_, name, Sign::positive);
      leaf.values[index].given = true;
      if (leaf.values[index].is_list && !leaf.type->parameters[index].per_input)
        reader_.fail(start, name + " of " + type + " is one number, not a list");
    } else if (name == "degree") {
      leaf.degree = degree();
    } else if (name == "ard") {
      if (std::none_of(leaf.type->parameters.begin(), leaf.type->parameters.end(), per_input))
        reader_.fail(at, type + " has no parameter per input; remove ard");
      leaf.ard = reader_.accept_word("true");
      if (!leaf.ard && !reader_.accept_word("false"))
        reader_.fail(start, "ard is true or false, not " + reader_.found());
    } else if (name == "metric") {
      if (!is_stationary(*leaf.type))
        reader_.fail(at, type + " does not look at distances; remove metric");
      leaf.sphere = reader_.accept_word("sphere");
      if (!leaf.sphere && !reader_.accept_word("euclidean"))
        reader_.fail(start, "metric is euclidean or sphere, not " + reader_.found());
    } else {
      if (!leaf.type->sees_inputs)
        reader_.fail(at, type + " does not look at inputs; remove columns");
      leaf.columns = read_columns(reader_);
    }
  }

  int degree() {
    const std::size_t start = reader_.position();
    const double value = reader_.number();
    if (!(value >= 1 && value <= kHighestDegree) || value != static_cast<int>(value))
      reader_.fail(start,
                   "degree = " + text::shortest(value) + " must be a whole number from 1 to " +
                       std::to_string(kHighestDegree));
    return static_cast<int>(value);
  }

  void check(const Leaf& leaf, std::size_t start) {
    if (leaf.sphere && leaf.columns.size() != 2)
      reader_.fail(start, "metric=sphere needs columns=[longitude, latitude], in degrees");
    if (leaf.sphere && (leaf.ard || leaf.values[1].is_list))
      reader_.fail(start, "metric=sphere has one length-scale, in kilometers; remove the others");
    for (std::size_t i = 0; i < leaf.values.size(); ++i) {
      if (!leaf.values[i].is_list || leaf.columns.empty()) continue;
      if (leaf.values[i].items.size() != leaf.columns.size())
        reader_.fail(start,
                     std::string(leaf.type->parameters[i].name) + " has " +
                         std::to_string(leaf.values[i].items.size()) + " values for " +
                         std::to_string(leaf.columns.size()) + " columns");
    }
  }

  Reader reader_;
  int leaves_ = 0;
};

}  // namespace

NodePtr parse_kernel(std::string_view text) { return KernelParser(text).all(); }

}  // namespace ggpm::internal::kern
