#include "gram/tree_structure.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "gram/tree_points.hpp"
#include "numeric/constants.hpp"
#include "parallel/stop.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kBand = 3;         // so many rows near the cut for each of its points
constexpr double kNoPart = 1e-2;   // range of an input in scales
constexpr double kReach = 2;       // of points of one input, in scales
constexpr Index kTasks = 64;       // at least, where there are rows enough
constexpr Index kTaskRows = 8192;  // at most: ranks and threads may be many
// A task has a sum of its own, which costs as much as some rows for each point that they all see; of few
// rows there are fewer tasks then.
constexpr Index kRowsOfPoint = 2, kFewTasks = 16;

// Around from input `first`; by the row itself where all are equal, so that an order exists.
struct Around {
  const Matrix& X;
  Index first;
  bool operator()(Index a, Index b) const {
    for (Index k = 0; k < X.cols(); ++k) {
      const Index j = (first + k) % X.cols();
      if (X(a, j) != X(b, j)) return X(a, j) < X(b, j);
    }
    return a < b;
  }
};

bool equal_rows(const Matrix& X, Index a, Index b) { return X.row(a) == X.row(b); }

class Grower {
 public:
  Grower(TreeStructure& tree, const Matrix& X, const Vector& scale, const TreeOptions& options)
      : tree_(tree), X_(X), scale_(scale), options_(options) {}

  void grow() {
    const Index n = X_.rows();
    tree_.order.resize(at(n));
    std::iota(tree_.order.begin(), tree_.order.end(), Index{0});
    tree_.fronts.push_back({.points = Matrix(0, X_.cols())});
    if (n > options_.leaf) add_global_points(n);
    node(0, n, -1);
  }

 private:
  using Rows = std::span<Index>;
  Rows rows(Index begin, Index end) { return {tree_.order.data() + begin, at(end - begin)}; }

  void add_global_points(Index n) {
    const Index features = std::ssize(options_.terms);
    const Matrix centers =
        options_.global > 0 ? centers_of(0, n, options_.global) : Matrix(0, X_.cols());
    global_ = features + centers.rows();
    Matrix& points = tree_.fronts[0].points;
    points.resize(global_, X_.cols());
    if (features > 0) points.topRows(features) = options_.features;
    points.bottomRows(centers.rows()) = centers;
    tree_.terms = options_.terms;
  }

  // Fronts and nodes are numbered parents first.
  Index node(Index begin, Index end, Index parent_front) {
    check_stop();
    const auto number = static_cast<Index>(tree_.nodes.size());
    tree_.nodes.push_back({.begin = begin, .end = end});
    tree_.nodes[at(number)].first_leaf = static_cast<Index>(tree_.leaves.size());
    const Index above = std::max(parent_front, Index{0});
    if (end - begin <= options_.leaf) {
      // Rows of a leaf in the order of the data, whatever the cuts did to them.
      std::sort(tree_.order.begin() + begin, tree_.order.begin() + end);
      tree_.nodes[at(number)].front = above;
      tree_.nodes[at(number)].leaf = static_cast<Index>(tree_.leaves.size());
      tree_.nodes[at(number)].leaves = 1;
      tree_.leaves.push_back({begin, end, above});
      return number;
    }
    auto [cut, middle] = split(begin, end);
    const Matrix own = cut_points(begin, end, cut, above);
    const bool root = parent_front < 0;
    Index front = above;
    if (own.rows() > 0 || root) front = add_front(begin, end, root, above, own);
    tree_.nodes[at(number)].front = front;
    tree_.nodes[at(number)].own_front = own.rows() > 0 || root;
    tree_.nodes[at(number)].cut = std::move(cut);
    const Index left = node(begin, middle, front);
    const Index right = node(middle, end, front);
    tree_.nodes[at(number)].leaves =
        static_cast<Index>(tree_.leaves.size()) - tree_.nodes[at(number)].first_leaf;
    tree_.nodes[at(number)].left = left;
    tree_.nodes[at(number)].right = right;
    return number;
  }

  Index add_front(Index begin, Index end, bool root, Index above, const Matrix& own) {
    if (root) {
      Matrix& points = tree_.fronts[0].points;
      const Index global = points.rows();
      points.conservativeResize(global + own.rows(), Eigen::NoChange);
      points.bottomRows(own.rows()) = own;
      return 0;
    }
    TreeFront front{.parent = above};
    const Matrix& parent = tree_.fronts[at(above)].points;
    const Index most = global_ + options_.active;
    if (parent.rows() > most) front.kept = nearest_points(begin, end, parent, most);
    front.active = front.pruned() ? most : parent.rows();
    front.points.resize(front.active + own.rows(), X_.cols());
    for (Index i = 0; i < front.active; ++i)
      front.points.row(i) = parent.row(front.pruned() ? front.kept[at(i)] : i);
    front.points.bottomRows(own.rows()) = own;
    tree_.fronts.push_back(std::move(front));
    return static_cast<Index>(tree_.fronts.size()) - 1;
  }

  // The global points, and those nearest to the box of the rows.
  std::vector<Index> nearest_points(Index begin, Index end, const Matrix& points, Index most) {
    Vector lower = Vector::Constant(X_.cols(), kInfinity), upper = -lower;
    for (const Index i : rows(begin, end)) {
      lower = lower.cwiseMin(X_.row(i).transpose());
      upper = upper.cwiseMax(X_.row(i).transpose());
    }
    Vector distance(points.rows());
    for (Index i = 0; i < points.rows(); ++i) {
      double sum = 0;
      for (Index j = 0; j < X_.cols(); ++j) {
        const double out = std::max({lower[j] - points(i, j), points(i, j) - upper[j], 0.0});
        sum += out / scale_[j] * (out / scale_[j]);
      }
      distance[i] = i < global_ ? -1 : sum;
    }
    std::vector<Index> kept(at(points.rows()));
    std::iota(kept.begin(), kept.end(), Index{0});
    std::stable_sort(
        kept.begin(), kept.end(), [&](Index a, Index b) { return distance[a] < distance[b]; });
    kept.resize(at(most));
    std::sort(kept.begin(), kept.end());
    return kept;
  }

  // ---- where to cut ----

  std::pair<TreeCut, Index> split(Index begin, Index end) {
    const Index leaves = (end - begin + options_.leaf - 1) / options_.leaf;
    // Full leaves, not halves of rows.
    const auto left =
        std::clamp<Index>(static_cast<Index>(options_.left_share * double(leaves)), 1, leaves - 1);
    const Index target = (end - begin) * left / leaves;
    const std::vector<Index> inputs = widest_first(begin, end);
    for (const Index input : inputs)
      if (const auto middle = split_between_values(begin, end, input, target))
        return {cut_between(begin, *middle, end, input), *middle};
    return split_around(begin, end, inputs.front(), target);
  }

  std::vector<Index> widest_first(Index begin, Index end) {
    const auto count = double(end - begin);
    Vector sum = Vector::Zero(X_.cols()), squares = sum;
    for (const Index i : rows(begin, end)) sum += X_.row(i).transpose();
    sum /= count;
    for (const Index i : rows(begin, end))
      squares += (X_.row(i).transpose() - sum).cwiseQuotient(scale_).cwiseAbs2();
    std::vector<Index> inputs(at(X_.cols()));
    std::iota(inputs.begin(), inputs.end(), Index{0});
    std::stable_sort(
        inputs.begin(), inputs.end(), [&](Index a, Index b) { return squares[a] > squares[b]; });
    return inputs;
  }

  // Between two values of one input, near enough to the target; 0/1 columns and grids have few.
  std::optional<Index> split_between_values(Index begin, Index end, Index input, Index target) {
    const Rows all = rows(begin, end);
    const auto middle = all.begin() + target;
    std::nth_element(all.begin(), middle, all.end(), Around{X_, input});
    const double value = X_(*middle, input);
    const auto below =
        std::partition(all.begin(), all.end(), [&](Index i) { return X_(i, input) < value; });
    const auto up_to =
        std::partition(below, all.end(), [&](Index i) { return X_(i, input) == value; });
    const Index low = below - all.begin(), high = up_to - all.begin();
    const Index best = target - low <= high - target ? low : high;
    const Index smaller = std::min(best, end - begin - best);
    if (2 * smaller < std::min(target, end - begin - target)) return std::nullopt;
    return begin + best;
  }

  TreeCut cut_between(Index begin, Index middle, Index end, Index input) {
    double low = -kInfinity, high = kInfinity;
    for (const Index i : rows(begin, middle)) low = std::max(low, X_(i, input));
    for (const Index i : rows(middle, end)) high = std::min(high, X_(i, input));
    const double between = low + (high - low) / 2;
    TreeCut cut{input, Vector::Constant(X_.cols(), -kInfinity)};
    cut.pivot[input] = between > low && between <= high ? between : high;
    return cut;
  }

  // No input alone cuts well: by all of them in turn. Equal rows stay together unless all are equal.
  std::pair<TreeCut, Index> split_around(Index begin, Index end, Index input, Index target) {
    const Rows all = rows(begin, end);
    std::sort(all.begin(), all.end(), Around{X_, input});
    Index best = 0;
    const Index count = end - begin;
    for (Index i = 1; i < count; ++i)
      if (!equal_rows(X_, all[at(i - 1)], all[at(i)]) &&
          (best == 0 || std::abs(i - target) < std::abs(best - target)))
        best = i;
    if (best == 0) best = target;
    return {TreeCut{input, X_.row(all[at(best)]).transpose()}, begin + best};
  }

  // ---- inducing points ----

  Matrix scaled(std::span<const Index> chosen) const {
    Matrix out(static_cast<Index>(chosen.size()), X_.cols());
    for (Index i = 0; i < out.rows(); ++i)
      out.row(i) = X_.row(chosen[at(i)]).cwiseQuotient(scale_.transpose());
    return out;
  }
  Matrix centers_of(Index begin, Index end, Index count) {
    return centers_of(rows(begin, end), count, mix_bits(options_.seed));
  }
  // Inputs that play no part in what is near, such as levels of a group, have the value of a row, not
  // one between two of them.
  Matrix centers_of(std::span<const Index> chosen, Index count, std::uint64_t seed) const {
    const Matrix near = scaled(chosen);
    Matrix centers = kmeans_centers(near, count, seed);
    const Vector range = near.colwise().maxCoeff() - near.colwise().minCoeff();
    if (range.minCoeff() < kNoPart)
      for (Index i = 0; i < centers.rows(); ++i) {
        Index row = 0;
        (near.rowwise() - centers.row(i)).rowwise().squaredNorm().minCoeff(&row);
        for (Index j = 0; j < centers.cols(); ++j)
          if (range[j] < kNoPart) centers(i, j) = near(row, j);
      }
    return centers * scale_.asDiagonal();
  }

  // The rows nearest to the cut; of equally near ones, which a 0/1 column has many, any.
  std::vector<Index> near_cut(Index begin, Index end, const TreeCut& cut, Index count) {
    struct Near {
      double distance;
      std::uint64_t tie;
      Index row;
      bool operator<(const Near& other) const {
        return distance != other.distance ? distance < other.distance : tie < other.tie;
      }
    };
    std::vector<Near> near;
    near.reserve(at(end - begin));
    for (const Index i : rows(begin, end))
      near.push_back({std::abs(X_(i, cut.first) - cut.pivot[cut.first]),
                      mix_bits(options_.seed ^ mix_bits(static_cast<std::uint64_t>(i))),
                      i});
    count = std::min(count, static_cast<Index>(near.size()));
    std::nth_element(near.begin(), near.begin() + count - 1, near.end());
    near.resize(at(count));
    std::sort(near.begin(), near.end());
    std::vector<Index> out;
    out.reserve(near.size());
    for (const Near& each : near) out.push_back(each.row);
    return out;
  }

  Matrix cut_points(Index begin, Index end, const TreeCut& cut, Index above) {
    if (options_.cut <= 0) return Matrix(0, X_.cols());
    const std::uint64_t seed =
        mix_bits(options_.seed ^ mix_bits(static_cast<std::uint64_t>(begin)) ^
                 static_cast<std::uint64_t>(end));
    if (X_.cols() > 1)
      return centers_of(near_cut(begin, end, cut, kBand * options_.cut), options_.cut, seed);
    return cut_values(begin, end, cut, above);
  }

  // One input: the rows themselves separate the two sides. Half of the points are those nearest to the
  // cut, which is all that Markov processes ask for (Matern kernels); the others are further and
  // further from it, up to where the correlation has fallen, as smooth functions want them. Those
  // that the front has already bring nothing.
  Matrix cut_values(Index begin, Index end, const TreeCut& cut, Index above) {
    const Matrix& points = tree_.fronts[at(above)].points;
    const auto known = points.bottomRows(points.rows() - std::ssize(tree_.terms));
    std::vector<double> values;
    const auto add = [&](double x) {
      const bool repeated =
          std::find(values.begin(), values.end(), x) != values.end() || (known.array() == x).any();
      if (!repeated) values.push_back(x);
    };
    constexpr Index kRings = 4;
    const Index spread = std::min(2 * kRings, options_.cut / 2);
    for (const Index i : near_cut(begin, end, cut, 2 * kBand * options_.cut)) {
      add(X_(i, 0));
      if (std::ssize(values) == options_.cut - spread) break;
    }
    for (Index ring = 1; 2 * ring <= spread; ++ring)
      for (const double side : {-1.0, 1.0})
        add(nearest_value(
            begin, end, cut.pivot[0] + side * scale_[0] * kReach * double(ring) / kRings));
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  }

  double nearest_value(Index begin, Index end, double target) {
    const auto nearer = [&](Index a, Index b) {
      return std::abs(X_(a, 0) - target) < std::abs(X_(b, 0) - target);
    };
    const Rows all = rows(begin, end);
    return X_(*std::min_element(all.begin(), all.end(), nearer), 0);
  }

  TreeStructure& tree_;
  const Matrix& X_;
  const Vector& scale_;
  const TreeOptions& options_;
  Index global_ = 0;
};

void find_tasks(TreeStructure& tree, Index node, Index most) {
  const TreeNode& here = tree.nodes[at(node)];
  if (here.is_leaf() || (node != 0 && here.rows() <= most)) {
    tree.tasks.push_back(node);
    return;
  }
  find_tasks(tree, here.left, most);
  find_tasks(tree, here.right, most);
}

}  // namespace

bool TreeCut::left(const Matrix& Z, Index row) const {
  for (Index k = 0; k < pivot.size(); ++k) {
    const Index j = (first + k) % pivot.size();
    if (Z(row, j) != pivot[j]) return Z(row, j) < pivot[j];
  }
  return false;
}

TreeStructure::TreeStructure(const Matrix& inputs,
                             const Vector& given_scale,
                             const TreeOptions& options)
    : scale(given_scale) {
  if (inputs.rows() == 0) throw UsageError("the tree engine needs at least one row");
  if (scale.size() != inputs.cols() || !(scale.array() > 0).all() || !inputs.allFinite())
    throw UsageError("the tree engine needs finite inputs and one positive scale for each");
  Grower(*this, inputs, scale, options).grow();
  finish(inputs);
}

void TreeStructure::finish(const Matrix& inputs) {
  const Index pays = std::min(kRowsOfPoint * fronts[0].size(), size() / kFewTasks);
  find_tasks(*this, 0, std::min(std::max(pays, size() / kTasks), kTaskRows));
  share = TreeShare(*this);
  rows = share.rows(*this);
  X = inputs(std::span(order).subspan(at(rows.begin()), at(rows.size())), Eigen::all);
}

Index TreeStructure::leaf_of(const Matrix& Z, Index row) const {
  Index node = 0;
  while (!nodes[at(node)].is_leaf()) {
    const TreeNode& here = nodes[at(node)];
    node = here.cut.left(Z, row) ? here.left : here.right;
  }
  return nodes[at(node)].leaf;
}

}  // namespace ggpm::internal
