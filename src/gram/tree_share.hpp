// Which rank holds which part of a tree. A subtree belongs to a range of ranks, which its two halves
// share in proportion to their rows until each has one; what is above a rank's subtree, its path to
// the root, it computes as all ranks below do. Nothing travels down. Upwards the two halves of a node
// exchange their sums, a message of one front in each direction, and all ranks below go on with both.
//
// A subtree that is a task of one thread is not divided: all of its ranks, if they are so many, do
// the same.
#pragma once

#include <span>
#include <vector>

#include "ggpm/types.hpp"
#include "index.hpp"
#include "parallel/ranks.hpp"
#include "parallel/rows_here.hpp"

namespace ggpm::internal {

class TreeStructure;

class TreeShare {
 public:
  TreeShare() = default;  // alone
  explicit TreeShare(const TreeStructure& tree);

  bool alone() const { return ranks_ == nullptr; }
  bool mine(Index node) const {
    return alone() || (first_[at(node)] <= rank_ && rank_ < last_[at(node)]);
  }
  // Of a node whose halves belong to different ranks: those on the other side to whom this rank
  // sends its half, and the one that it receives the other half from.
  bool divided(Index node, Index left, Index right) const;
  struct Partners {
    std::vector<int> to;
    int from = 0;
  };
  Partners partners(Index left, Index right) const;
  Ranks& ranks() const { return *ranks_; }  // while the calling thread is in step with them

  // The rows here are those of the tasks that are mine.
  RowsHere rows(const TreeStructure& tree) const;

  // By leaf or front: each rank has written its own.
  void gather_leaves(Vector& values) const { gather(values, leaves_); }
  void gather_fronts(Vector& values) const { gather(values, fronts_); }
  // Of numbers in the order of leaves, `borders_of_leaves` (leaves + 1) of them before each.
  void gather_by_leaf(Eigen::Ref<Matrix> values, std::span<const Index> borders_of_leaves) const;

 private:
  void divide(const TreeStructure& tree, Index node, int first, int last);
  void gather(Vector& values, const std::vector<Index>& borders) const;

  Ranks* ranks_ = nullptr;
  int rank_ = 0;
  std::vector<int> first_, last_;               // by node: its ranks
  std::vector<Index> tasks_, leaves_, fronts_;  // (ranks + 1) borders
};

}  // namespace ggpm::internal
