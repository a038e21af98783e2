#include <algorithm>

#include "ggpm/kernel.hpp"
#include "ggpm/sphere.hpp"
#include "kernel/expression/type.hpp"

namespace ggpm::internal::kern {

const std::vector<const KernelType*>& kernel_types() {
#define KERNEL(type) &(type),
  static const std::vector<const KernelType*> types = {
#include "kernel/expression/kernels.def"
  };
#undef KERNEL
  return types;
}

}  // namespace ggpm::internal::kern

namespace ggpm {

using namespace internal;

namespace {

// The names of columns of the leaves that are `wanted`, each once.
template <class Wanted>
std::vector<std::string> columns_where(std::string_view kernel, const Wanted& wanted) {
  std::vector<std::string> out;
  if (kernel == "auto") return out;  // no expression yet, and none of its candidates has groups
  kern::parse_kernel(kernel)->visit([&](const kern::Leaf& leaf) {
    if (!wanted(leaf)) return;
    for (const kern::Column& column : leaf.columns)
      if (column.number == 0 && std::find(out.begin(), out.end(), column.name) == out.end())
        out.push_back(column.name);
  });
  return out;
}

}  // namespace

std::vector<std::string> group_columns(std::string_view kernel) {
  return columns_where(kernel, [](const kern::Leaf& leaf) { return leaf.type == &kern::kGroup; });
}

std::vector<std::string> sphere_columns(std::string_view kernel) {
  return columns_where(kernel, [](const kern::Leaf& leaf) { return leaf.sphere; });
}

std::vector<KernelInfo> kernel_table() {
  std::vector<KernelInfo> table;
  for (const kern::KernelType* type : kern::kernel_types()) {
    KernelInfo info{std::string(type->name), std::string(type->formula), {}};
    for (const kern::ParameterSpec& spec : type->parameters)
      info.parameters.emplace_back(spec.name);
    if (type->has_degree) info.parameters.emplace_back("degree");
    table.push_back(std::move(info));
  }
  return table;
}

}  // namespace ggpm
