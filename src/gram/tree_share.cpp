#include "gram/tree_share.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gram/tree_structure.hpp"

namespace ggpm::internal {
namespace {

// (ranks + 1) From what belongs to which rank, which does not descend.
std::vector<Index> borders_of(const std::vector<int>& owners, int ranks) {
  std::vector<Index> borders;
  for (int r = 0; r <= ranks; ++r)
    borders.push_back(std::lower_bound(owners.begin(), owners.end(), r) - owners.begin());
  return borders;
}

}  // namespace

TreeShare::TreeShare(const TreeStructure& tree) : ranks_(ranks_in_step()) {
  if (ranks_ == nullptr) return;
  rank_ = ranks_->rank();
  first_.assign(tree.nodes.size(), 0);
  last_.assign(tree.nodes.size(), 0);
  divide(tree, 0, 0, ranks_->size());
  // Nodes, leaves and fronts are numbered depth first, so that the lowest rank of each ascends.
  std::vector<int> leaf_owner, front_owner{0};
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].is_leaf()) leaf_owner.push_back(first_[i]);
    if (tree.nodes[i].own_front && i != 0) front_owner.push_back(first_[i]);
  }
  leaves_ = borders_of(leaf_owner, ranks_->size());
  fronts_ = borders_of(front_owner, ranks_->size());
  std::vector<int> task_owner;
  for (const Index task : tree.tasks) task_owner.push_back(first_[at(task)]);
  tasks_ = borders_of(task_owner, ranks_->size());
}

RowsHere TreeShare::rows(const TreeStructure& tree) const {
  RowsHere::Groups groups{.order = tree.order, .rank_borders = tasks_, .ranks = ranks_};
  for (const Index task : tree.tasks) groups.borders.push_back(tree.nodes[at(task)].begin);
  groups.borders.push_back(tree.size());
  while (!mine(tree.tasks[at(groups.first)])) ++groups.first;
  groups.last = groups.first;
  while (at(groups.last) < tree.tasks.size() && mine(tree.tasks[at(groups.last)])) ++groups.last;
  return RowsHere(std::move(groups));
}

void TreeShare::divide(const TreeStructure& tree, Index node, int first, int last) {
  const TreeNode& here = tree.nodes[at(node)];
  first_[at(node)] = first;
  last_[at(node)] = last;
  if (here.is_leaf()) return;
  const int ranks = last - first;
  const auto is_task = [&] {
    return std::find(tree.tasks.begin(), tree.tasks.end(), node) != tree.tasks.end();
  };
  int middle = last;  // ranks of the left half are [first, middle)
  if (ranks > 1 && !is_task()) {
    const double part = double(tree.nodes[at(here.left)].rows()) / double(here.rows());
    middle = first + std::clamp(static_cast<int>(std::lround(ranks * part)), 1, ranks - 1);
  }
  const bool divided = middle < last;
  divide(tree, here.left, first, middle);
  divide(tree, here.right, divided ? middle : first, last);
}

bool TreeShare::divided(Index node, Index left, Index right) const {
  return !alone() && mine(node) && first_[at(left)] != first_[at(right)];
}

// Halves of one, two, ... ranks exchange one to one; a rank that has no counterpart is served by the
// last one.
TreeShare::Partners TreeShare::partners(Index left, Index right) const {
  const Index own = mine(left) ? left : right, other = mine(left) ? right : left;
  const int own_first = first_[at(own)], own_last = last_[at(own)] - 1;
  const int other_first = first_[at(other)], other_last = last_[at(other)] - 1;
  Partners out;
  out.from = std::min(other_first + rank_ - own_first, other_last);
  for (int r = other_first; r <= other_last; ++r)
    if (std::min(own_first + r - other_first, own_last) == rank_) out.to.push_back(r);
  if (ranks_in_step() != ranks_)
    throw std::logic_error("a tree that ranks share was asked by a thread that is not in step");
  return out;
}

void TreeShare::gather(Vector& values, const std::vector<Index>& borders) const {
  if (!alone()) ranks_->gather_all({values.data(), at(values.size())}, borders);
}

void TreeShare::gather_by_leaf(Eigen::Ref<Matrix> values,
                               std::span<const Index> borders_of_leaves) const {
  if (alone()) return;
  std::vector<Index> borders;
  for (const Index leaf : leaves_) borders.push_back(borders_of_leaves[at(leaf)]);
  for (Index j = 0; j < values.cols(); ++j)
    ranks_->gather_all({values.col(j).data(), at(values.rows())}, borders);
}

}  // namespace ggpm::internal
