// Anderson mixing: extrapolates a fixed-point iteration x <- x + f(x) from its last few steps.
//
// Near the fixed point it is a quasi-Newton method, which turns the slow or alternating convergence
// of parallel sweeps into a few of them. It proposes; the iteration checks and may refuse.
#pragma once

#include "inference/sites.hpp"

namespace ggpm::internal {

class Anderson {
 public:
  explicit Anderson(const RowsHere& here, Index depth = 6) : here_(here), depth_(depth) {}

  void forget() {
    count_ = 0;
    started_ = false;
  }
  // A point of the iteration and the step f = proposed - sites that the rule wants there.
  void push(const Sites& sites, const Sites& proposed);
  bool ready() const { return count_ > 0; }
  // The mixed next point; distances are measured by the marginals q of the last point pushed.
  Sites mix(const Conditioned& q, double step) const;

 private:
  Matrix triangles(const Matrix& A) const;
  const RowsHere& here_;
  Index depth_, count_ = 0, next_ = 0;
  bool started_ = false;
  Vector x_, f_;    // (2n) the last point: precisions, then shifts
  Matrix dx_, df_;  // (2n, depth) differences between successive points
};

}  // namespace ggpm::internal
