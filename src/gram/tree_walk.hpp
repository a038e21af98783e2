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
// Subtrees are shared by ranks, and by the threads of each; BLAS has one. Down to the subtrees of
// threads sums of two halves are made apart and then added, so that they have the same bits for any
// number of ranks and threads.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <span>
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

// The numbers of a sum, block by block, as they travel between ranks: body(std::span<double>).
template <class Body>
void for_numbers(Nothing&, const Body&) {}
template <class Body>
void for_numbers(Matrix& sum, const Body& body) {
  body(std::span<double>(sum.data(), at(sum.size())));
}

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
    if (!op_.wants(i) || !tree_.share.mine(i)) return;
    if (i == 0 || (here.own_front && !is_task(i))) {
      const Index parent = tree_.fronts[at(here.front)].parent;
      top_[at(here.front)] = std::make_unique<Frame>();
      Frame& own = top(here.front);
      op_.enter(here.front, parent < 0 ? nullptr : &top(parent).state, own.state, scratch_);
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
    if (!op_.wants(i) || !tree_.share.mine(i)) return;
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

  // What the subtree of node i adds to the front above it; at the root, nothing is above.
  Part leave_top(Index i) {
    const TreeNode& here = node(i);
    if (!op_.wants(i)) return {};
    Part sum = is_task(i) ? std::move(parts_[at(task_of_[at(i)])]) : sum_of_halves(i);
    if (i != 0 && (is_task(i) || !here.own_front)) return sum;
    if (!sum.done) op_.reset(here.front, sum.sum);
    Part above{.done = true, .sum = {}};
    if (i != 0) op_.reset(front_above(i), above.sum);
    op_.leave(here.front, top(here.front).state, sum.sum, i == 0 ? nullptr : &above.sum, scratch_);
    top_[at(here.front)].reset();
    return above;
  }

  Part sum_of_halves(Index i) {
    const TreeNode& here = node(i);
    Part left, right;
    if (tree_.share.divided(i, here.left, here.right)) {
      const bool on_the_left = tree_.share.mine(here.left);
      (on_the_left ? left : right) = leave_top(on_the_left ? here.left : here.right);
      exchange(here, left, right);
    } else {
      left = leave_top(here.left);
      right = leave_top(here.right);
    }
    if (!left.done) return right;
    if (right.done) op_.add(left.sum, right.sum);
    return left;
  }

  // Ranks of one half get the sum of the other. Both know which halves there are.
  void exchange(const TreeNode& here, Part& left, Part& right) {
    const bool on_the_left = tree_.share.mine(here.left);
    Part &own = on_the_left ? left : right, &other = on_the_left ? right : left;
    const TreeShare::Partners partners = tree_.share.partners(here.left, here.right);
    Ranks& ranks = tree_.share.ranks();
    if (own.done)
      for (const int to : partners.to)
        for_numbers(own.sum, [&](std::span<double> numbers) { ranks.send(numbers, to); });
    other.done = op_.wants(on_the_left ? here.right : here.left);
    if (other.done) {
      op_.reset(here.front, other.sum);
      for_numbers(other.sum,
                  [&](std::span<double> numbers) { ranks.receive(numbers, partners.from); });
    }
    ranks.finish_sends();
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
