// The tree behind a Kernel: leaves of a KernelType, sums and products of them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/types.hpp"
#include "kernel/expression/columns.hpp"
#include "kernel/expression/value.hpp"
#include "kernel/tiles/tile.hpp"

namespace ggpm::internal {

class KernelNode;

namespace kern {

class Leaf;
using NodePtr = std::shared_ptr<const KernelNode>;

// What a kernel is evaluated at.
struct Inputs {
  const Matrix& X;  // (n, d)
  const Matrix& Z;  // (m, d); for K(X, X) the same object as X
  bool gram;        // K(X, X), which has white noise, not K(X, Z)
};

// A kernel prepared for its inputs. Owns copies of what it needs of them, and its own scratch.
class Tiles {
 public:
  virtual ~Tiles() = default;
  // K of the block, valid until the next call.
  virtual const Tile& evaluate(const Block& block) = 0;
  // Adds sum_ij Kbar_ij dK_ij/d log(parameter) over the block evaluated last.
  virtual void pull_back(const Tile& Kbar) = 0;
  virtual void append_gradient(std::vector<double>& gradient) const = 0;
};

// Expressions may be nested this deep and hold this many kernels, so that every walk over them is
// bounded.
inline constexpr int kMaxDepth = 100, kMaxLeaves = 1000;

}  // namespace kern

class KernelNode {
 public:
  virtual ~KernelNode() = default;
  // In the order of the expression.
  virtual void visit(const std::function<void(const kern::Leaf&)>& look) const = 0;
  virtual kern::NodePtr transform(const std::function<void(kern::Leaf&)>& change) const = 0;
  virtual std::string text() const = 0;

  virtual std::unique_ptr<kern::Tiles> tiles(const kern::Inputs& inputs) const = 0;
  virtual Vector diagonal(const Matrix& X) const = 0;  // (n)
  // Appends sum_i kbar_i dK_ii/d log(parameter).
  virtual void pull_back_diagonal(const Matrix& X,
                                  const Vector& kbar,
                                  std::vector<double>& gradient) const = 0;

  virtual int depth() const = 0;
  virtual int leaves() const = 0;
};

namespace kern {

struct KernelType;

// One kernel with its settings. Bound when dimensions > 0.
class Leaf final : public KernelNode {
 public:
  explicit Leaf(const KernelType& type);

  const KernelType* type;
  std::vector<Values> values;  // in the order of type->parameters
  int degree = 2;              // poly
  bool ard = false;
  bool sphere = false;             // the two columns are longitude and latitude in degrees
  std::vector<Column> columns;     // empty: all
  Index dimensions = 0;            // of all inputs
  std::vector<Index> chosen = {};  // the inputs of `columns`, from 0
  std::vector<double> units = {};  // of all inputs, in units of their columns; empty: 1

  void bind(Index count, std::span<const std::string> names, std::span<const double> of_inputs);
  // The columns of X that a parameter of the type is measured in: that of an element of its list,
  // or all that this kernel sees. None until bound.
  std::vector<Index> inputs_of(std::size_t parameter, std::size_t element) const;
  // What one unit of X is for a length-scale or period: that of its columns, 1 if they differ.
  double unit_of(std::size_t parameter, std::size_t element) const;
  std::vector<Index> inputs() const;  // that it looks at; none until bound

  void visit(const std::function<void(const Leaf&)>& look) const override { look(*this); }
  NodePtr transform(const std::function<void(Leaf&)>& change) const override;
  std::string text() const override;
  std::unique_ptr<Tiles> tiles(const Inputs& inputs) const override;
  Vector diagonal(const Matrix& X) const override;
  void pull_back_diagonal(const Matrix& X,
                          const Vector& kbar,
                          std::vector<double>& gradient) const override;
  int depth() const override { return 0; }
  int leaves() const override { return 1; }

 private:
  Matrix on_sphere(const Matrix& X) const;
  Matrix seen_of(const Matrix& X) const;  // (n, chosen), or (n, 3) on the sphere
};

// Flat: a sum of sums is one sum, and products alike. Throws UsageError beyond kMaxDepth or
// kMaxLeaves.
NodePtr make_sum(const NodePtr& a, const NodePtr& b);
NodePtr make_product(const NodePtr& a, const NodePtr& b);
std::vector<NodePtr> summands(const NodePtr& node);  // of a sum; of anything else, itself
NodePtr parse_kernel(std::string_view text);

}  // namespace kern
}  // namespace ggpm::internal
