// The prior that the tree stands for, for one kernel. In coordinates eps ~ N(0, I) of each front,
//   u_front = L eps                          L L^T = K of the front's points + jitter
//   eps_active = T eps_parent                T = I where nothing was pruned
//   eta_leaf = B eps_front + delta,          delta ~ N(0, D),  B B^T + D = K of the leaf's rows.
// White noise is in D alone.
#pragma once

#include <vector>

#include "ggpm/kernel.hpp"
#include "gram/lapack.hpp"
#include "gram/tree_structure.hpp"

namespace ggpm::internal {

struct FrontPrior {
  Matrix L;  // (size, size) lower half
  Matrix T;  // (active, size of the parent's front); empty: I
};

struct LeafPrior {
  Matrix B;  // (rows, size of the front)
  Matrix D;  // (rows, rows) full
};

class TreePrior {
 public:
  // Throws NumericalError where no jitter makes K positive definite.
  void build(const TreeStructure& tree, const Kernel& kernel);

  bool finite() const { return finite_; }
  const FrontPrior& front(Index i) const { return fronts_[at(i)]; }
  const LeafPrior& leaf(Index i) const { return leaves_[at(i)]; }
  void add_to_diagonal(double jitter);  // of every D

  // The jitter of the fronts follows the kernel: this multiple of PointKernel::variances.
  double relative_jitter() const { return relative_jitter_; }

 private:
  std::vector<FrontPrior> fronts_;
  std::vector<LeafPrior> leaves_;
  double relative_jitter_ = 0;
  bool finite_ = true;
};

// Between coordinates of a front's active points and of its parent's front, where T = I if nothing
// was pruned. T has no entries right of the kept point of its row, of which products make use.
// P (parent) <- P + T^T M T, lower half; M (active, active) full.
void add_from_active(
    const TreeFront& front, const Matrix& T, const Matrix& M, Matrix& scratch, Matrix& parent);
// A = T P T^T, full; P full.
void to_active(
    const TreeFront& front, const Matrix& T, const Matrix& P, Matrix& scratch, lapack::Block A);

}  // namespace ggpm::internal
