#include <algorithm>
#include <atomic>

#include "gram/conditioning.hpp"
#include "gram/tree_features.hpp"
#include "gram/tree_prior.hpp"
#include "gram/tree_walk.hpp"

namespace ggpm::internal {
namespace {

constexpr double kSmallestJitter = 1e-200;

// K of the points, kept along the path: those of active points are known from the parent.
class Build : public WalksDownOnly {
 public:
  using State = Matrix;
  struct Scratch {
    Matrix K;
  };

  Build(const TreeStructure& tree,
        const Kernel& kernel,
        double relative_jitter,
        std::vector<FrontPrior>& fronts,
        std::vector<LeafPrior>& leaves)
      : tree_(tree),
        kernel_(kernel),
        points_(tree, kernel),
        relative_jitter_(relative_jitter),
        fronts_(fronts),
        leaves_(leaves) {}

  std::atomic<bool> definite{true}, finite{true};

  void enter(Index i, const Matrix* parent, Matrix& K, Scratch& scratch) {
    const TreeFront& front = tree_.fronts[at(i)];
    evaluate(front, parent, K, scratch);
    if (!K.allFinite()) finite = false;
    if (parent == nullptr)
      jitter_ = (relative_jitter_ * points_.variances(front, K)).cwiseMax(kSmallestJitter);
    factor(i, front, K);
  }

  void leaf(Index i, const Matrix& /*K*/, Nothing&, Scratch&) {
    const TreeLeaf& leaf = tree_.leaves[at(i)];
    LeafPrior& out = leaves_[at(i)];
    const auto f = static_cast<std::size_t>(leaf.front);
    const Matrix X = tree_.rows_of(leaf);
    out.B.resize(X.rows(), tree_.fronts[f].size());
    if (out.B.size() > 0) points_.to_points(X, tree_.fronts[f], out.B);
    lapack::solve_right_transposed(fronts_[f].L, out.B);
    kernel_.gram(X, out.D);
    if (!out.D.allFinite() || !out.B.allFinite()) finite = false;
    if (out.B.cols() == 0) return;
    lapack::add_outer(-1, out.B, out.D);
    // What the front explains of a row is not more than there is, but for rounding.
    out.D.diagonal() = out.D.diagonal().cwiseMax(0.0);
    lapack::mirror(out.D);
  }

  void leave(Index, const Matrix&, Nothing&, Nothing*, Scratch&) const {}

 private:
  void evaluate(const TreeFront& front, const Matrix* parent, Matrix& K, Scratch& scratch) const {
    const Index size = front.size(), active = front.active, own = front.own();
    K.resize(size, size);
    if (own == 0 && active == 0) return;
    for (Index j = 0; j < active; ++j)
      for (Index k = 0; k < active; ++k)
        K(k, j) =
            front.pruned() ? (*parent)(front.kept[at(k)], front.kept[at(j)]) : (*parent)(k, j);
    points_.among_points(front, scratch.K);
    K.bottomRows(own) = scratch.K;
    K.topRightCorner(active, own) = scratch.K.leftCols(active).transpose();
  }

  // The block of active points is the parent's where they are the same.
  void factor(Index i, const TreeFront& front, const Matrix& K) {
    FrontPrior& out = fronts_[at(i)];
    const Index a = front.active, r = front.own();
    out.L = K;
    for (Index k = 0; k < a + r; ++k) out.L(k, k) += jitter_[points_.group_of(k)];
    bool ok = true;
    if (a > 0) {
      const Matrix& parent = fronts_[at(front.parent)].L;
      auto La = out.L.topLeftCorner(a, a);
      if (front.pruned())
        ok = lapack::cholesky(La);
      else
        La = parent;
      lapack::solve_right_transposed(La, out.L.bottomLeftCorner(r, a));
      lapack::add_outer(-1, out.L.bottomLeftCorner(r, a), out.L.bottomRightCorner(r, r));
      if (ok && front.pruned()) change_of_coordinates(front, parent, out);
    }
    ok = ok && lapack::cholesky(out.L.bottomRightCorner(r, r));
    if (!ok || !out.L.diagonal().allFinite()) definite = false;
  }

  static void change_of_coordinates(const TreeFront& front, const Matrix& parent, FrontPrior& out) {
    const Index a = front.active;
    out.T.setZero(a, parent.cols());
    for (Index k = 0; k < a; ++k) {
      const Index row = front.kept[at(k)];
      out.T.row(k).head(row + 1) = parent.row(row).head(row + 1);
    }
    lapack::solve_left(out.L.topLeftCorner(a, a), out.T);
  }

  const TreeStructure& tree_;
  const Kernel& kernel_;
  const PointKernel points_;
  double relative_jitter_;
  Vector jitter_;  // by groups of points
  std::vector<FrontPrior>& fronts_;
  std::vector<LeafPrior>& leaves_;
};

}  // namespace

void TreePrior::build(const TreeStructure& tree, const Kernel& kernel) {
  fronts_.resize(tree.fronts.size());
  leaves_.resize(tree.leaves.size());
  for (relative_jitter_ = kFirstPointJitter; relative_jitter_ <= kLastPointJitter;
       relative_jitter_ *= 10) {
    Build build(tree, kernel, relative_jitter_, fronts_, leaves_);
    walk(tree, build);
    finite_ = least_of_ranks(build.finite ? 1 : 0) > 0;
    if (!finite_ || least_of_ranks(build.definite ? 1 : 0) > 0) return;
  }
  throw NumericalError(
      "the kernel matrix of the inducing points is not positive definite; look for extreme "
      "hyperparameters or inputs");
}

void TreePrior::add_to_diagonal(double jitter) {
  for (LeafPrior& leaf : leaves_) leaf.D.diagonal().array() += jitter;
}

}  // namespace ggpm::internal
