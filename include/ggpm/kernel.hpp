// Kernels: expressions that build K and pull its adjoint back to their parameters.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm {

class KernelNode;  // src/kernel/node.hpp

// A value: copying is cheap, a changed copy does not change the original.
class Kernel {
 public:
  explicit Kernel(std::shared_ptr<const KernelNode> root);

  // "rbf(lengthscale=2, ard=true) + linear(columns=[year])". Errors point at the column.
  static Kernel parse(std::string_view text);
  std::string text() const;  // with current values; parse(text()) is the same kernel

  // Binds to inputs: resolves columns=[names or numbers from 1], expands ard and lists. Kernels are
  // bound before they are evaluated; binding a bound kernel again to the same inputs changes nothing.
  Kernel bind(Index dimensions, std::span<const std::string> column_names = {}) const;

  // One entry per scalar, in the order of the expression: "rbf.variance", "rbf.lengthscale",
  // "rbf.lengthscale[1]" (ARD counts from 1), "rbf#2.variance".
  std::vector<Parameter> parameters() const;
  Kernel with_values(std::span<const double> values) const;  // same order, values not logarithms

  void gram(const Matrix& X, Matrix& K) const;                        // K (n, n), full symmetric
  void cross(const Matrix& X, const Matrix& Z, Matrix& K) const;      // K (n, m); white noise is 0
  Vector diagonal(const Matrix& X) const;                             // (n)

  // sum_ij Kbar_ij dK_ij / d log(parameter), one O(n^2 d) pass, O(n) x tile scratch. Kbar is symmetric,
  // its lower triangle is read.
  Vector pull_back(const Matrix& X, const Matrix& Kbar) const;
  // The same for K(X, Z), Kbar (n, m).
  Vector pull_back_cross(const Matrix& X, const Matrix& Z, const Matrix& Kbar) const;

 private:
  std::shared_ptr<const KernelNode> root_;
};

Kernel operator+(const Kernel& a, const Kernel& b);
Kernel operator*(const Kernel& a, const Kernel& b);

struct KernelInfo {
  std::string name, formula;
  std::vector<std::string> parameters;
};
std::vector<KernelInfo> kernel_table();

// Prior mean of the latent function: zero, constant(value=0), linear.
class Mean {
 public:
  Mean() = default;  // zero
  static Mean parse(std::string_view text);
  std::string text() const;
  Mean bind(Index dimensions) const;
  std::vector<Parameter> parameters() const;  // "mean.value" or "mean.weights[1]"..., "mean.intercept"
  Mean with_values(std::span<const double> values) const;
  Vector evaluate(const Matrix& X) const;
  Vector pull_back(const Matrix& X, const Vector& mbar) const;  // d/d parameter itself

 private:
  enum class Kind { zero, constant, linear };
  Kind kind_ = Kind::zero;
  Vector values_;
};

}  // namespace ggpm
