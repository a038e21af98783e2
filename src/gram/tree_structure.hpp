// Where the tree engine puts its inducing points. Depends on the inputs and on a first guess of the
// length-scales only, and stays as it is while the kernel changes.
//
// A binary tree over the rows, cut by rank until a leaf holds few enough of them. A cut carries
// inducing points along it, the root optionally global ones. An inner node and its points
// condition on a front: the *active* points, some of its parent's front, and its own. Since active
// points are always taken from the parent's front, (active, own) has exactly the marginal
// distribution of the Gaussian process, and conditioning on sites fills nothing in.
#pragma once

#include <cstdint>
#include <vector>

#include "data/named_array.hpp"
#include "ggpm/types.hpp"
#include "gram/tree_share.hpp"
#include "index.hpp"

namespace ggpm::internal {

struct TreeOptions {
  Index cut = 64;      // points along a cut
  Index leaf = 128;    // most rows of a leaf
  Index active = 128;  // most points that a node takes from its parent, the global ones not counted
  Index global = 0;    // points at the root that every node keeps
  // More of them, before those, that stand for a summand of the kernel each (tree_features.hpp).
  Matrix features = {};
  std::vector<Index> terms = {};  // ascending
  double left_share = 0.5;        // of the rows that a cut leaves on its left
  std::uint64_t seed = 1;
};

// One row in a leaf and no cuts: FITC. More rows, no cuts: PIC. No points at all in one leaf: dense.
struct TreeFront {
  Index parent = -1;        // front; -1: the root
  Index active = 0;         // points of the parent's front, before its own
  std::vector<Index> kept;  // which of the parent's, ascending; empty: all of them
  Matrix points;            // (size, d)
  Index size() const { return points.rows(); }
  Index own() const { return size() - active; }
  bool pruned() const { return !kept.empty(); }
};

// Rows that compare less than the pivot go left: by input `first`, where that is equal by the next
// one, and so on around.
struct TreeCut {
  Index first = 0;
  Vector pivot;  // (d); -infinity: not compared
  bool left(const Matrix& X, Index row) const;
};

struct TreeNode {
  Index begin = 0, end = 0;     // ordered rows
  Index left = -1, right = -1;  // nodes; -1: a leaf
  Index front = 0;              // own, or without points of its own the one above
  bool own_front = false;
  Index leaf = -1;                   // number among the leaves
  Index first_leaf = 0, leaves = 0;  // below
  TreeCut cut;
  Index rows() const { return end - begin; }
  bool is_leaf() const { return leaf >= 0; }
};

struct TreeLeaf {
  Index begin = 0, end = 0;  // ordered rows
  Index front = 0;           // all of it is conditioned on
  Index rows() const { return end - begin; }
};

class TreeStructure {
 public:
  // `scale` (d): length-scales, or anything in whose units the inputs are comparable.
  TreeStructure(const Matrix& X, const Vector& scale, const TreeOptions& options);
  // From what arrays() gave for these inputs, read from a file: DataError where it cannot be.
  TreeStructure(const Matrix& X, const NamedArrays& arrays);
  NamedArrays arrays() const;
  TreeStructure(const TreeStructure&) = delete;  // `rows` refers to `order`
  TreeStructure& operator=(const TreeStructure&) = delete;

  Index size() const { return std::ssize(order); }
  Index leaf_of(const Matrix& Z, Index row) const;
  bool is_here(const TreeLeaf& leaf) const {
    return leaf.begin >= rows.begin() && leaf.end <= rows.begin() + rows.size();
  }
  // Of a leaf that is here, in numbers of the rows here in the tree's order (rows.by_group).
  template <class V>
  auto part(V& x, const TreeLeaf& leaf) const {
    return x.middleRows(leaf.begin - rows.begin(), leaf.rows());
  }
  Matrix rows_of(const TreeLeaf& leaf) const { return part(X, leaf); }

  Matrix features() const { return fronts[0].points.topRows(std::ssize(terms)); }

  Vector scale;                   // (d)
  Matrix X;                       // (rows here, d), ordered: the rows of a leaf are neighbors
  std::vector<Index> order;       // ordered row -> row of the data
  std::vector<TreeNode> nodes;    // parents first; 0 is the root, front 0 is its own
  std::vector<TreeFront> fronts;  // parents first
  std::vector<TreeLeaf> leaves;   // in the order of their rows
  // The first points of every front stand for these summands of the kernel, the others for all.
  std::vector<Index> terms;
  // Subtrees of about equal size that cover all leaves: what threads share. Sums go along the tree
  // and are cut here whatever the number of threads, so that it cannot be seen in the result.
  std::vector<Index> tasks;  // nodes
  TreeShare share;           // what of it is this rank's
  RowsHere rows;             // in groups by task

 private:
  void finish(const Matrix& inputs);  // X, tasks, share and rows, once the order is known
};

}  // namespace ggpm::internal
