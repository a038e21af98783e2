// What a kind of kernel brings: its names, its tiles and its diagonal. A new one is a file with a
// KernelType and a line in kernels.def.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/expression/node.hpp"

namespace ggpm::internal::kern {

struct ParameterSpec {
  std::string_view name;
  Role role;
  Bounds bounds;           // unless the user gives some
  bool per_input = false;  // may be a list, or expanded by ard=true
};

// Of a length: the range depends on the data, so that learning chooses it.
inline constexpr Bounds kOpen = {0, std::numeric_limits<double>::infinity()};
inline constexpr Bounds kWide = {1e-6, 1e6};

inline constexpr ParameterSpec kVariance = {"variance", Role::variance, kWide};

// The parameters of one kernel as numbers, in the order of the type; a per-input one has 1 or d.
struct Numbers {
  std::vector<Vector> values;
  int degree = 0;
  double scalar(std::size_t parameter) const { return values[parameter](0); }
};

// Constant-initialized, so that kernels may be made before main.
struct KernelType {
  std::string_view name, formula;
  std::span<const ParameterSpec> parameters;
  bool sees_inputs = true;
  bool has_degree = false;
  std::unique_ptr<Tiles> (*tiles)(const Numbers& numbers, const Inputs& inputs);
  // (n, 1 + parameters): K_ii and its derivatives in log(parameter); null: K_ii = parameter 0.
  Matrix (*diagonal)(const Numbers& numbers, const Matrix& X) = nullptr;
};

#define KERNEL(type) extern const KernelType type;
#include "kernel/expression/kernels.def"
#undef KERNEL

const std::vector<const KernelType*>& kernel_types();

}  // namespace ggpm::internal::kern
