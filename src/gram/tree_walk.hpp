// One way through the tree for everything that is asked of it: down with a state of each front, up
// with a sum of each front. Depth first, so that states and sums exist along the path only.
//
// An operation has
//   State, Sum, Scratch                                 the last one for each thread
//   bool wants(node)                                    false: not below this node
//   enter(front, const State* parent, State& own, Scratch&)   parent null at the root
//   reset(front, Sum& sum)
//   leaf(leaf, const State& of_its_front, Sum& of_its_front, Scratch&)
//   add(Sum& sum, const Sum& part)
//   leave(front, const State& own, Sum& own, Sum* parent, Scratch&)
// Subtrees are shared by threads, BLAS has one; sums have the same order for any number of them.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "gram/tree_structure.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {

// For operations that need no state, no sum, or no scratch.
struct Nothing {};

struct WalksEverywhere {
  bool wants(Index /*node*/) const { return true; }
};
struct WalksDownOnly : WalksEverywhere {
  using Sum = Nothing;
  void reset(Index, Nothing&) const {}
  void add(Nothing&, const Nothing&) const {}
};
struct WalksUpOnly : WalksEverywhere {
  using State = Nothing;
  template <class Scratch>
  void enter(Index, const Nothing*, Nothing&, Scratch&) const {}
};

template <class Operation>
class TreeWalk {
 public:
  TreeWalk(const TreeStructure& tree, Operation& operation)
      : tree_(tree), op_(operation), parts_(tree.tasks.size()), task_of_(tree.nodes.size(), -1) {
    for (std::size_t t = 0; t < tree.tasks.size(); ++t)
      task_of_[at(tree.tasks[t])] = static_cast<Index>(t);
  }

  void run() {
    const int threads = default_threads();
    const BlasThreads blas(1);
    top_.resize(tree_.fronts.size());
    enter_top(0);
    for_blocks(static_cast<Index>(tree_.tasks.size()), 1, threads, [&](Index begin, Index end) {
      for (Index task = begin; task < end; ++task) run_task(task);
    });
    leave_top(0);
  }

 private:
  using State = typename Operation::State;
  using Sum = typename Operation::Sum;
  struct Frame {
    State state;
    Sum sum;
  };
  struct Workspace {
    std::deque<Frame> frames;  // by depth; references stay valid
    typename Operation::Scratch scratch;
    Frame& frame(std::size_t depth) {
      while (frames.size() <= depth) frames.emplace_back();
      return frames[depth];
    }
  };
  struct Part {
    bool done = false;
    Sum sum;
  };

  const TreeNode& node(Index i) const { return tree_.nodes[at(i)]; }
  Frame& top(Index front) { return *top_[at(front)]; }
  bool is_task(Index i) const { return task_of_[at(i)] >= 0; }

  // The front of node 0 is entered even if that node is a leaf.
  void enter_top(Index i) {
    const TreeNode& here = node(i);
    if (!op_.wants(i)) return;
    if (i == 0 || (here.own_front && !is_task(i))) {
      const Index parent = tree_.fronts[at(here.front)].parent;
      top_[at(here.front)] = std::make_unique<Frame>();
      Frame& own = top(here.front);
      op_.enter(here.front, parent < 0 ? nullptr : &top(parent).state, own.state, scratch_);
      op_.reset(here.front, own.sum);
    }
    if (is_task(i)) return;
    enter_top(here.left);
    enter_top(here.right);
  }

  Index front_above(Index i) const {
    const TreeNode& here = node(i);
    return here.own_front ? tree_.fronts[at(here.front)].parent : here.front;
  }

  void run_task(Index task) {
    const Index i = tree_.tasks[at(task)];
    if (!op_.wants(i) || top_[at(front_above(i))] == nullptr) return;
    Part& part = parts_[at(task)];
    std::unique_ptr<Workspace> workspace = borrow();
    op_.reset(front_above(i), part.sum);
    visit(i, top(front_above(i)).state, part.sum, 0, *workspace);
    part.done = true;
    give_back(std::move(workspace));
  }

  void visit(Index i, const State& state, Sum& sum, std::size_t depth, Workspace& workspace) {
    const TreeNode& here = node(i);
    if (!op_.wants(i)) return;
    if (here.is_leaf()) return op_.leaf(here.leaf, state, sum, workspace.scratch);
    if (!here.own_front) {
      visit(here.left, state, sum, depth, workspace);
      visit(here.right, state, sum, depth, workspace);
      return;
    }
    Frame& own = workspace.frame(depth);
    op_.enter(here.front, &state, own.state, workspace.scratch);
    op_.reset(here.front, own.sum);
    visit(here.left, own.state, own.sum, depth + 1, workspace);
    visit(here.right, own.state, own.sum, depth + 1, workspace);
    op_.leave(here.front, own.state, own.sum, &sum, workspace.scratch);
  }

  void leave_top(Index i) {
    const TreeNode& here = node(i);
    if (!op_.wants(i)) return;
    if (is_task(i)) {
      Part& part = parts_[at(task_of_[at(i)])];
      if (part.done) op_.add(top(front_above(i)).sum, part.sum);
      part.sum = Sum();
    } else {
      leave_top(here.left);
      leave_top(here.right);
    }
    if (i != 0 && (is_task(i) || !here.own_front)) return;
    const Index parent = tree_.fronts[at(here.front)].parent;
    Frame& own = top(here.front);
    op_.leave(here.front, own.state, own.sum, parent < 0 ? nullptr : &top(parent).sum, scratch_);
    top_[at(here.front)].reset();
  }

  std::unique_ptr<Workspace> borrow() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

  const TreeStructure& tree_;
  Operation& op_;
  std::vector<std::unique_ptr<Frame>> top_;  // by front
  std::vector<Part> parts_;                  // by task
  std::vector<Index> task_of_;               // by node
  typename Operation::Scratch scratch_;      // of the top
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

template <class Operation>
void walk(const TreeStructure& tree, Operation& operation) {
  TreeWalk<Operation>(tree, operation).run();
}

}  // namespace ggpm::internal
