// A structure as arrays of a model file, and back.
//   scale   (d)            units of the inputs
//   order   (n)            ordered row -> row of the data
//   nodes   (nodes, 4 + d) rows; own points, -1 without a front; active points; first input of the
//                          cut, -1 in a leaf; pivot. Parents first, left before right.
//   points  (all, d)       own points of one front after the other
//   kept    (all)          active points of pruned fronts, by place in the parent's front
//   terms   (some)         summands of the kernel that the first points of the root stand for; files
//                          of before have none
#include <cmath>
#include <cstdint>

#include "gram/tree_structure.hpp"
#include "parallel/available_memory.hpp"

namespace ggpm::internal {
namespace {

// Beyond what make ever does: a file that says so would ask for matrices that no engine makes.
constexpr Index kMostLeafRows = 2000;
constexpr int kMostLevels = 1000;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw DataError("array 'engine." + name + "' of the tree engine " + why +
                  "; the file is damaged");
}

class Reader {
 public:
  Reader(TreeStructure& tree, const Matrix& X, const NamedArrays& arrays)
      : tree_(tree),
        d_(X.cols()),
        order_(find(arrays, "order", 1)),
        nodes_(find(arrays, "nodes", 4 + d_)),
        points_(find(arrays, "points", d_)),
        kept_(find(arrays, "kept", 1)) {
    const Matrix& scale = find(arrays, "scale", 1);
    if (arrays.size() == 6) read_terms(find(arrays, "terms", 1));
    if (arrays.size() > 6) refuse(arrays.back().name, "is one too many");
    if (scale.rows() != d_ || !(scale.array() > 0).all() || !scale.allFinite())
      refuse("scale", "is not a positive number for each input");
    tree_.scale = scale;
    read_order(X.rows());
    tree_.fronts.push_back({.points = Matrix(0, d_)});
    node(0, X.rows(), -1);
    if (std::ssize(tree_.terms) > tree_.fronts[0].size())
      refuse("terms", "is longer than the points of the root");
    if (next_node_ != nodes_.rows()) refuse("nodes", "has nodes that belong to no parent");
    if (next_point_ != points_.rows()) refuse("points", "has points that belong to no node");
    if (next_kept_ != kept_.rows()) refuse("kept", "has entries that belong to no node");
    check_memory();
  }

 private:
  static const Matrix& find(const NamedArrays& arrays, const std::string& name, Index columns) {
    for (const NamedArray& array : arrays)
      if (array.name == name) {
        if (array.values.cols() != columns)
          refuse(name,
                 "has " + std::to_string(array.values.cols()) + " columns, not " +
                     std::to_string(columns));
        return array.values;
      }
    refuse(name, "is missing");
  }

  // A whole number from `low` to `high`.
  static Index whole(const std::string& name, double x, Index low, Index high) {
    if (!(x >= double(low) && x <= double(high) && x == std::floor(x)))
      refuse(name, "has a number that is not whole or out of range");
    return static_cast<Index>(x);
  }

  void read_order(Index n) {
    if (order_.rows() != n) refuse("order", "does not have one number for each row");
    std::vector<char> seen(at(n), 0);
    for (Index i = 0; i < n; ++i) {
      const Index row = whole("order", order_(i, 0), 0, n - 1);
      if (seen[at(row)]++ != 0) refuse("order", "names a row twice");
      tree_.order.push_back(row);
    }
  }

  void read_terms(const Matrix& terms) {
    constexpr Index kMostTerms = 10'000;
    for (Index i = 0; i < terms.rows(); ++i)
      tree_.terms.push_back(
          whole("terms", terms(i, 0), i == 0 ? 0 : tree_.terms.back(), kMostTerms));
  }

  // What a file asks for is as large as it likes to say.
  void check_memory() const {
    double bytes = 0;
    for (const TreeFront& front : tree_.fronts)
      bytes += 8 * double(front.size()) * double(front.size());
    if (bytes > double(available_memory()))
      refuse("nodes", "has fronts that need more memory than there is");
  }

  Index node(Index begin, Index end, Index parent, int level = 0) {
    if (level > kMostLevels) refuse("nodes", "is deeper than any tree");
    const Index number = next_node_++;
    if (number >= nodes_.rows()) refuse("nodes", "is too short");
    if (whole("nodes", nodes_(number, 0), 1, end - begin) != end - begin)
      refuse("nodes", "has rows that do not add up");
    tree_.nodes.push_back({.begin = begin, .end = end, .front = std::max(parent, Index{0})});
    const auto first_leaf = static_cast<Index>(tree_.leaves.size());
    tree_.nodes[at(number)].first_leaf = first_leaf;
    const Index first = whole("nodes", nodes_(number, 3), -1, d_ - 1);
    if (first < 0) {
      if (end - begin > kMostLeafRows)
        refuse("nodes", "has a leaf of " + std::to_string(end - begin) + " rows");
      tree_.nodes[at(number)].leaf = first_leaf;
      tree_.nodes[at(number)].leaves = 1;
      tree_.leaves.push_back({begin, end, std::max(parent, Index{0})});
      return number;
    }
    inner(number, first, parent);
    const Index front = tree_.nodes[at(number)].front;
    if (number + 1 >= nodes_.rows()) refuse("nodes", "is too short");
    const Index middle = begin + whole("nodes", nodes_(number + 1, 0), 1, end - begin - 1);
    const Index left = node(begin, middle, front, level + 1);
    const Index right = node(middle, end, front, level + 1);
    tree_.nodes[at(number)].left = left;
    tree_.nodes[at(number)].right = right;
    tree_.nodes[at(number)].leaves = static_cast<Index>(tree_.leaves.size()) - first_leaf;
    return number;
  }

  void inner(Index number, Index first, Index parent) {
    TreeNode& here = tree_.nodes[at(number)];
    here.cut = {first, nodes_.row(number).tail(d_).transpose()};
    if (here.cut.pivot.array().isNaN().any()) refuse("nodes", "has a cut at nowhere");
    const Index own = whole("nodes", nodes_(number, 1), -1, points_.rows() - next_point_);
    if (own < 0 && number > 0) return;
    here.own_front = true;
    if (number == 0) {
      tree_.fronts[0].points = take(std::max(own, Index{0}));
      return;
    }
    const Matrix& above = tree_.fronts[at(parent)].points;
    TreeFront front{.parent = parent};
    front.active = whole("nodes", nodes_(number, 2), 0, above.rows());
    if (front.active < above.rows()) front.kept = take_kept(front.active, above.rows());
    front.points.resize(front.active + own, d_);
    for (Index i = 0; i < front.active; ++i)
      front.points.row(i) = above.row(front.pruned() ? front.kept[at(i)] : i);
    front.points.bottomRows(own) = take(own);
    here.front = static_cast<Index>(tree_.fronts.size());
    tree_.fronts.push_back(std::move(front));
  }

  Matrix take(Index count) {
    Matrix out = points_.middleRows(next_point_, count);
    if (!out.allFinite()) refuse("points", "has a number that is not finite");
    next_point_ += count;
    return out;
  }

  std::vector<Index> take_kept(Index count, Index size) {
    if (count == 0 || count > kept_.rows() - next_kept_) refuse("kept", "is too short");
    std::vector<Index> out;
    for (Index i = 0; i < count; ++i)
      out.push_back(
          whole("kept", kept_(next_kept_++, 0), out.empty() ? 0 : out.back() + 1, size - 1));
    return out;
  }

  TreeStructure& tree_;
  const Index d_;
  const Matrix &order_, &nodes_, &points_, &kept_;
  Index next_node_ = 0, next_point_ = 0, next_kept_ = 0;
};

}  // namespace

TreeStructure::TreeStructure(const Matrix& inputs, const NamedArrays& arrays) {
  Reader(*this, inputs, arrays);
  finish(inputs);
}

NamedArrays TreeStructure::arrays() const {
  const Index d = X.cols();
  Matrix places(size(), 1), table = Matrix::Zero(static_cast<Index>(nodes.size()), 4 + d);
  for (Index i = 0; i < size(); ++i) places(i, 0) = double(order[at(i)]);
  for (Index i = 0; i < table.rows(); ++i) {
    const TreeNode& node = nodes[at(i)];
    const TreeFront& front = fronts[at(node.front)];
    table(i, 0) = double(node.rows());
    table(i, 1) = node.own_front ? double(front.own()) : -1;
    table(i, 2) = node.own_front ? double(front.active) : 0;
    table(i, 3) = node.is_leaf() ? -1 : double(node.cut.first);
    if (!node.is_leaf()) table.row(i).tail(d) = node.cut.pivot.transpose();
  }
  Index all_points = 0, all_kept = 0;
  for (const TreeFront& front : fronts) {
    all_points += front.own();
    all_kept += static_cast<Index>(front.kept.size());
  }
  Matrix points(all_points, d), kept(all_kept, 1);
  Index next_point = 0, next_kept = 0;
  for (const TreeFront& front : fronts) {
    points.middleRows(next_point, front.own()) = front.points.bottomRows(front.own());
    next_point += front.own();
    for (const Index i : front.kept) kept(next_kept++, 0) = double(i);
  }
  NamedArrays out{
      {"scale", scale}, {"order", places}, {"nodes", table}, {"points", points}, {"kept", kept}};
  if (terms.empty()) return out;
  Matrix of(std::ssize(terms), 1);
  for (Index i = 0; i < of.rows(); ++i) of(i, 0) = double(terms[at(i)]);
  out.push_back({"terms", of});
  return out;
}

}  // namespace ggpm::internal
