// Kernels: expressions that build K and pull its adjoint back to their parameters.
//
// A kernel is a covariance function k(x, x'). It is written as text, which every face reads, or
// put together from functions:
//
//   Kernel k = Kernel::parse("rbf(lengthscale=2, columns=[year]) + linear");
//   Kernel k = kernels::rbf(1, {2, 0.5}) + kernels::linear();
//   Kernel bound = k.bind(2, names);           // to inputs: columns and lists are resolved
//   bound.gram(X, K);                          // (n, n)
//
// The text form:
//
//   a kernel     rbf | rbf(2, 0.5) | rbf(variance=2, lengthscale=0.5)
//                the names, in their order, are those of kernel_table()
//   expression   kernel + kernel, kernel * kernel, parentheses
//   inputs       columns=[year, 'sepal length', 3]    names, quoted names, numbers from 1
//   per input    lengthscale=[1, 2] or ard=true; linear(variance=[1, 2])
//   held         fixed(rbf + linear), rbf(variance=fixed(1)), rbf(lengthscale=[1, fixed(2)])
//   bounds       rbf(lengthscale=2 in [0.1, 10])
//   priors       rbf(lengthscale=2 ~ gamma(2, 1))     normal, lognormal, gamma, inverse_gamma
//
// Every parameter is positive, between 1e-100 and 1e100. Learning starts at the values given.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ggpm/prior.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

namespace internal {
class KernelNode;   // src/kernel/expression/node.hpp
struct KernelRoot;  // src/kernel/expression/classes.cpp
struct MeanState;   // src/kernel/expression/mean.hpp
}  // namespace internal
struct KernelTerm;

// A value: copying is cheap, a changed copy does not change the original. All members may be called
// from any number of threads.
class Kernel {
 public:
  explicit Kernel(std::shared_ptr<const internal::KernelNode> root);

  // "rbf(lengthscale=2, ard=true) + linear(columns=[year])". Errors point at the column.
  static Kernel parse(std::string_view text);
  std::string text() const;  // with current values; parse(text()) is the same kernel

  // Binds to inputs: resolves columns=[names or numbers from 1], expands ard and lists. Kernels are
  // bound before they are evaluated; binding a bound kernel again to the same inputs changes
  // nothing. With `units`, one unit of each input in units of its column, length-scales and periods
  // are in units of the column, or of the columns that share one. Those of columns with different
  // units have none: they are in units of the inputs, as a length-scale that nobody gave is 1.
  Kernel bind(Index dimensions,
              std::span<const std::string> column_names = {},
              std::span<const double> units = {}) const;
  Index dimensions() const;  // of the inputs it is bound to; 0: not bound

  // One entry per scalar, in the order of the expression: "rbf.variance", "rbf.lengthscale",
  // "rbf.lengthscale[1]" (ARD counts from 1), "rbf#2.variance". Bounds that nobody gave are 1e-6 to
  // 1e6, wider if the value is outside; for length-scales and periods 0 to infinity, since their
  // range depends on the data.
  std::vector<Parameter> parameters() const;
  std::vector<Prior> priors() const;  // same order
  // Same order: one unit of the inputs, in that of the parameter; 1 but for those that bind() says.
  std::vector<double> units() const;
  // Same order, values not logarithms. Throws UsageError outside 1e-100 to 1e100 or outside given
  // bounds; a relative 1e-8 beyond a bound, as exp(log(bound)) may be, is the bound.
  Kernel with_values(std::span<const double> values) const;

  // The summands of the outermost sum, or the kernel itself; in the order of the expression.
  std::vector<KernelTerm> terms() const;

  void gram(const Matrix& X, Matrix& K) const;                    // K (n, n), full symmetric
  void cross(const Matrix& X, const Matrix& Z, Matrix& K) const;  // K (n, m); white noise is 0
  Vector diagonal(const Matrix& X) const;                         // (n) of gram

  // sum_ij Kbar_ij dK_ij / d log(parameter), one O(n^2 d) pass, O(n) x tile scratch. Kbar is
  // symmetric, its lower triangle is read.
  Vector pull_back(const Matrix& X, const Matrix& Kbar) const;
  // The same for K(X, Z), Kbar (n, m).
  Vector pull_back_cross(const Matrix& X, const Matrix& Z, const Matrix& Kbar) const;
  // The same for the diagonal, kbar (n), O(n d).
  Vector pull_back_diagonal(const Matrix& X, const Vector& kbar) const;

 private:
  void check_inputs(const Matrix& X) const;
  friend Kernel operator+(const Kernel& a, const Kernel& b);
  friend Kernel operator*(const Kernel& a, const Kernel& b);
  friend struct internal::KernelRoot;

  std::shared_ptr<const internal::KernelNode> root_;
};

Kernel operator+(const Kernel& a, const Kernel& b);
Kernel operator*(const Kernel& a, const Kernel& b);

struct KernelTerm {
  std::string name;           // as its parameters begin: "rbf", "rbf#2", "rbf*periodic"
  std::string type;           // "linear" of a single kernel; empty: a product
  std::vector<Index> inputs;  // columns of X, from 0, that a single kernel looks at
  Kernel kernel;
};

// The kernels as functions: kernels::rbf(1, {2, 0.5}) + kernels::linear().
namespace kernels {

// One number, or one for each input.
struct PerInput {
  PerInput(double value) : values{value} {}
  PerInput(std::initializer_list<double> list) : values(list), is_list(true) {}
  PerInput(std::vector<double> list) : values(std::move(list)), is_list(true) {}
  std::vector<double> values;
  bool is_list = false;
};

Kernel rbf(double variance = 1, const PerInput& lengthscale = 1);
Kernel matern12(double variance = 1, const PerInput& lengthscale = 1);
Kernel matern32(double variance = 1, const PerInput& lengthscale = 1);
Kernel matern52(double variance = 1, const PerInput& lengthscale = 1);
Kernel rq(double variance = 1, const PerInput& lengthscale = 1, double alpha = 1);
Kernel periodic(double variance = 1, const PerInput& lengthscale = 1, double period = 1);
Kernel linear(const PerInput& variance = 1);
Kernel poly(double variance = 1, double offset = 1, int degree = 2);
Kernel constant(double variance = 1);
Kernel white(double variance = 1);

}  // namespace kernels

struct KernelInfo {
  std::string name, formula;
  std::vector<std::string> parameters;  // in positional order
};
std::vector<KernelInfo> kernel_table();

// The columns that group kernels of an expression name: they need the number of a level, not an input
// a level.
std::vector<std::string> group_columns(std::string_view kernel);

// Prior mean of the latent function: zero, constant(value=0), linear(weights=0, intercept=0,
// columns=[year]), or a sum of them. Values take fixed(...), bounds and priors as in kernels; one
// weight stands for all inputs, a list for each. In a sum the first level is learned; the others
// are held at 0 unless they are given.
class Mean {
 public:
  Mean() = default;  // zero
  static Mean parse(std::string_view text);
  std::string text() const;  // parse(text()) is the same mean
  Mean bind(Index dimensions, std::span<const std::string> column_names = {}) const;
  // "mean.value" or "mean.weights[1]"..., "mean.intercept"; of the second summand "mean#2.value"
  std::vector<Parameter> parameters() const;
  std::vector<Prior> priors() const;  // same order
  Mean with_values(std::span<const double> values) const;
  Vector evaluate(const Matrix& X) const;                       // (n)
  Vector pull_back(const Matrix& X, const Vector& mbar) const;  // d/d parameter itself

 private:
  std::shared_ptr<const internal::MeanState> state_;  // null: zero
};

}  // namespace ggpm
