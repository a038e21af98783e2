// Columns up and down the tree: what leaves hand in, h of each front, becomes coordinates
// e = Cov(eps, eps) h of the prior or of the posterior, and is handed to fronts and leaves.
#pragma once

#include <vector>

#include "gram/tree_gram.hpp"
#include "gram/tree_walk.hpp"

namespace ggpm::internal {

enum class Of { prior, posterior };

// What is asked of a pass over the tree. Called from threads.
class TreeColumns {
 public:
  virtual ~TreeColumns() = default;
  virtual Index count() const { return 1; }
  virtual bool wants(Index /*node*/) const { return true; }
  virtual void hand_in(Index leaf, Matrix& h) const = 0;  // adds
  virtual void at_front(Index /*front*/, const Matrix& /*e*/) {}
  virtual void at_leaf(Index /*leaf*/, const Matrix& /*e*/) {}
};

void solve_columns(const TreeGram& gram, Of of, TreeColumns& columns);

}  // namespace ggpm::internal
