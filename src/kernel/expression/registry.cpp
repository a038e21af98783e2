#include "ggpm/kernel.hpp"
#include "kernel/expression/type.hpp"

namespace ggpm::internal::kern {

const std::vector<const KernelType*>& kernel_types() {
#define KERNEL(type) &type,
  static const std::vector<const KernelType*> types = {
#include "kernel/expression/kernels.def"
  };
#undef KERNEL
  return types;
}

}  // namespace ggpm::internal::kern

namespace ggpm {

using namespace internal;

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
