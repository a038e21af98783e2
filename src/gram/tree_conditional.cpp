// Prediction: a new row joins the leaf it falls into. With B* = k(x*, points) L^-T and
// d* = k(x*, rows) - B* B^T,
//   shift = B* e + d* alpha,
//   variance = k** - B* B*^T - d* R d*^T + b* Sigma b*^T,   b* = B* - d* R B.
#include <algorithm>
#include <numeric>

#include "gram/tree_features.hpp"
#include "gram/tree_gram.hpp"
#include "gram/tree_vectors.hpp"
#include "gram/tree_walk.hpp"

namespace ggpm::internal {
namespace {

using lapack::Op;

constexpr Index kColumnsAtOnce = 128, kRowsAtOnce = 256;

// New rows by the leaf they fall into.
class Grouped {
 public:
  Grouped(const TreeStructure& tree, const Matrix& Z)
      : tree_(tree), Z_(Z), first_(tree.leaves.size() + 1, 0), rows_(at(Z.rows())) {
    std::vector<Index> leaf(at(Z.rows()));
    for (Index i = 0; i < Z.rows(); ++i) ++first_[at(leaf[at(i)] = tree.leaf_of(Z, i)) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<Index> next(first_.begin(), first_.end() - 1);
    for (Index i = 0; i < Z.rows(); ++i) rows_[at(next[at(leaf[at(i)])]++)] = i;
  }
  bool any(Index node) const {
    const TreeNode& here = tree_.nodes[at(node)];
    return first_[at(here.first_leaf + here.leaves)] > first_[at(here.first_leaf)];
  }
  std::span<const Index> rows(Index leaf) const {
    return {rows_.data() + first_[at(leaf)], at(first_[at(leaf + 1)] - first_[at(leaf)])};
  }
  // Every rank has written the new rows of its leaves: all of them, for all ranks.
  void gather(Eigen::Ref<Matrix> values) const {
    if (tree_.share.alone()) return;
    Matrix by_leaf = values(rows_, Eigen::all);
    tree_.share.gather_by_leaf(by_leaf, first_);
    values(rows_, Eigen::all) = by_leaf;
  }
  Matrix inputs(std::span<const Index> chosen) const {
    Matrix out(static_cast<Index>(chosen.size()), Z_.cols());
    for (std::size_t k = 0; k < chosen.size(); ++k)
      out.row(static_cast<Index>(k)) = Z_.row(chosen[k]);
    return out;
  }

 private:
  const TreeStructure& tree_;
  const Matrix& Z_;
  std::vector<Index> first_, rows_;
};

// A leaf and new rows in it.
struct NewRows {
  Matrix H;  // (rows, size) L^-1 S B of the leaf, rows ordered
  Matrix B;  // (m, size) B*
  Matrix d;  // (rows, m) d*^T
  Matrix w;  // (rows, m) L^-1 S d*^T, rows ordered
  Matrix b;  // (m, size) b*

  void enter(const TreeGram& gram, Index i) {
    H = gram.prior().leaf(i).B;
    gram.factor(i).half_solve(H);
  }

  void compute(const TreeGram& gram, const Kernel& kernel, Index i, const Matrix& Z) {
    const TreeLeaf& leaf = gram.structure().leaves[at(i)];
    const LeafPrior& prior = gram.prior().leaf(i);
    B.resize(Z.rows(), prior.B.cols());
    if (B.cols() > 0)
      PointKernel(gram.structure(), kernel)
          .to_points(Z, gram.structure().fronts[at(leaf.front)], B);
    lapack::solve_right_transposed(gram.prior().front(leaf.front).L, B);
    kernel.cross(gram.structure().rows_of(leaf), Z, d);
    lapack::add_product(-1, prior.B, Op::plain, B, Op::transposed, d);
    w = d;
    gram.factor(i).half_solve(w);
    const Index p = gram.factor(i).positive(), q = leaf.rows() - p;
    b = B;
    if (B.cols() == 0) return;
    lapack::add_product(-1, w.topRows(p), Op::transposed, H.topRows(p), Op::plain, b);
    lapack::add_product(1, w.bottomRows(q), Op::transposed, H.bottomRows(q), Op::plain, b);
  }

  // k** - B* B*^T - d* R d*^T. Rounding can leave -1e-17 where the data pin the function down.
  Vector residual_variance(const Vector& prior_variance, Index positive) const {
    return (prior_variance - B.rowwise().squaredNorm() -
            w.topRows(positive).colwise().squaredNorm().transpose() +
            w.bottomRows(w.rows() - positive).colwise().squaredNorm().transpose())
        .cwiseMax(0.0);
  }
};

// What is known of the latents, and the new rows.
struct Given {
  const TreeGram& gram;
  const Kernel& kernel;
  const Vector& alpha;           // ordered
  const std::vector<Vector>& e;  // by front
  const Grouped& grouped;
};

class Predict : public WalksDownOnly {
 public:
  using State = Matrix;
  struct Scratch {
    Matrix M, bS;
    NewRows rows;
  };
  Predict(const Given& given, Vector& shift, Vector& variance)
      : given_(given), shift_(shift), variance_(variance) {}

  bool wants(Index node) const { return given_.grouped.any(node); }
  void enter(Index i, const Matrix* parent, Matrix& Sigma, Scratch& scratch) const {
    given_.gram.covariance(i, parent, Sigma, scratch.M);
  }
  void leave(Index, const Matrix&, Nothing&, Nothing*, Scratch&) const {}

  void leaf(Index i, const Matrix& Sigma, Nothing&, Scratch& scratch) const {
    scratch.rows.enter(given_.gram, i);
    const auto all = given_.grouped.rows(i);
    for (std::size_t begin = 0; begin < all.size(); begin += kRowsAtOnce)
      some(i,
           Sigma,
           all.subspan(begin, std::min<std::size_t>(kRowsAtOnce, all.size() - begin)),
           scratch);
  }

 private:
  void some(Index i, const Matrix& Sigma, std::span<const Index> places, Scratch& scratch) const {
    const TreeLeaf& leaf = given_.gram.structure().leaves[at(i)];
    const Matrix Z = given_.grouped.inputs(places);
    NewRows& rows = scratch.rows;
    rows.compute(given_.gram, given_.kernel, i, Z);
    const Vector alpha = given_.gram.structure().part(given_.alpha, leaf);
    Vector shift = Vector::Zero(Z.rows());
    lapack::add_product(1, rows.B, Op::plain, given_.e[at(leaf.front)], Op::plain, shift);
    lapack::add_product(1, rows.d, Op::transposed, alpha, Op::plain, shift);
    scratch.bS.resize(rows.b.rows(), rows.b.cols());
    lapack::set_product(1, rows.b, Op::plain, Sigma, Op::plain, scratch.bS);
    const Vector variance =
        rows.residual_variance(given_.kernel.diagonal(Z), given_.gram.factor(i).positive()) +
        scratch.bS.cwiseProduct(rows.b).rowwise().sum();
    for (std::size_t k = 0; k < places.size(); ++k) {
      shift_[places[k]] = shift[static_cast<Index>(k)];
      variance_[places[k]] = std::max(variance[static_cast<Index>(k)], 0.0);
    }
  }

  const Given& given_;
  Vector &shift_, &variance_;
};

// shift = k(x*, points) L^-T (e - B^T alpha) + k(x*, rows) alpha: two products for each new row.
class PredictShift : public WalksDownOnly {
 public:
  using State = Nothing;
  struct Scratch {
    Matrix to_points, to_rows;
    Vector weights;
  };
  PredictShift(const Given& given, Vector& shift)
      : given_(given), points_(given.gram.structure(), given.kernel), shift_(shift) {}

  bool wants(Index node) const { return given_.grouped.any(node); }
  void enter(Index, const Nothing*, Nothing&, Scratch&) const {}
  void leave(Index, const Nothing&, Nothing&, Nothing*, Scratch&) const {}

  void leaf(Index i, const Nothing&, Nothing&, Scratch& scratch) const {
    const TreeLeaf& leaf = given_.gram.structure().leaves[at(i)];
    const auto alpha = given_.gram.structure().part(given_.alpha, leaf);
    Vector& weights = scratch.weights;
    weights = given_.e[at(leaf.front)] - given_.gram.prior().leaf(i).B.transpose() * alpha;
    lapack::solve_transposed(given_.gram.prior().front(leaf.front).L, weights);
    const Matrix rows = given_.gram.structure().rows_of(leaf);
    const auto all = given_.grouped.rows(i);
    for (std::size_t begin = 0; begin < all.size(); begin += kRowsAtOnce) {
      const auto places =
          all.subspan(begin, std::min<std::size_t>(kRowsAtOnce, all.size() - begin));
      const Matrix Z = given_.grouped.inputs(places);
      given_.kernel.cross(rows, Z, scratch.to_rows);
      Vector shift = scratch.to_rows.transpose() * alpha;
      if (weights.size() > 0) {
        scratch.to_points.resize(Z.rows(), weights.size());
        points_.to_points(Z, given_.gram.structure().fronts[at(leaf.front)], scratch.to_points);
        shift += scratch.to_points * weights;
      }
      for (std::size_t k = 0; k < places.size(); ++k)
        shift_[places[k]] = shift[static_cast<Index>(k)];
    }
  }

 private:
  const Given& given_;
  const PointKernel points_;
  Vector& shift_;
};

// Covariances of new rows through the fronts: columns b* of some rows, posterior covariance times
// them, and b* of all.
class Through final : public TreeColumns {
 public:
  Through(const Grouped& grouped, const std::vector<Matrix>& b, Index begin, Index end, Matrix& C)
      : grouped_(grouped), b_(b), begin_(begin), end_(end), C_(C) {}
  Index count() const override { return end_ - begin_; }
  bool wants(Index node) const override { return grouped_.any(node); }
  void hand_in(Index leaf, Matrix& h) const override {
    const auto rows = grouped_.rows(leaf);
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k] >= begin_ && rows[k] < end_)
        h.col(rows[k] - begin_) += b_[at(leaf)].row(static_cast<Index>(k)).transpose();
  }
  void at_leaf(Index leaf, const Matrix& e) override {
    const auto rows = grouped_.rows(leaf);
    const Matrix part = b_[at(leaf)] * e;
    for (std::size_t k = 0; k < rows.size(); ++k)
      C_.row(rows[k]).segment(begin_, count()) += part.row(static_cast<Index>(k));
  }

 private:
  const Grouped& grouped_;
  const std::vector<Matrix>& b_;
  const Index begin_, end_;
  Matrix& C_;
};

class TreeConditional final : public Conditional {
 public:
  TreeConditional(const Kernel& kernel, const Vector& alpha, TreeGram gram)
      : kernel_(kernel),
        gram_(std::move(gram)),
        alpha_(gram_.rows().by_group(alpha)),
        e_(gram_.coordinates(alpha_)) {}

  void predict(const Matrix& Z, Vector& shift, Vector& variance) const override {
    shift.resize(Z.rows());
    variance.resize(Z.rows());
    if (Z.rows() == 0) return;
    const Grouped grouped(gram_.structure(), Z);
    const Given given{gram_, kernel_, alpha_, e_, grouped};
    Predict down(given, shift, variance);
    walk(gram_.structure(), down);
    grouped.gather(shift);
    grouped.gather(variance);
  }

  void predict_shift(const Matrix& Z, Vector& shift) const override {
    shift.resize(Z.rows());
    if (Z.rows() == 0) return;
    const Grouped grouped(gram_.structure(), Z);
    const Given given{gram_, kernel_, alpha_, e_, grouped};
    PredictShift down(given, shift);
    walk(gram_.structure(), down);
    grouped.gather(shift);
  }

  Matrix covariance(const Matrix& Z) const override {
    Matrix C = Matrix::Zero(Z.rows(), Z.rows());
    if (Z.rows() == 0) return C;
    const Grouped grouped(gram_.structure(), Z);
    std::vector<Matrix> b(gram_.structure().leaves.size());
    const TreeStructure& tree = gram_.structure();
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Index leaf = tree.nodes[i].leaf;
      if (leaf >= 0 && tree.share.mine(static_cast<Index>(i)) && !grouped.rows(leaf).empty())
        b[at(leaf)] = within_leaf(leaf, grouped, C);
    }
    for (Index begin = 0; begin < Z.rows(); begin += kColumnsAtOnce) {
      Through through(grouped, b, begin, std::min(Z.rows(), begin + kColumnsAtOnce), C);
      solve_columns(gram_, Of::posterior, through);
    }
    grouped.gather(C);
    return 0.5 * (C + C.transpose());
  }

 private:
  // What rows of one leaf share beyond the front; returns their b*.
  Matrix within_leaf(Index i, const Grouped& grouped, Matrix& C) const {
    const auto places = grouped.rows(i);
    const Matrix Z = grouped.inputs(places);
    NewRows rows;
    rows.enter(gram_, i);
    rows.compute(gram_, kernel_, i, Z);
    Matrix K;
    kernel_.gram(Z, K);
    const Index p = gram_.factor(i).positive(), q = gram_.factor(i).size() - p;
    lapack::add_product(-1, rows.B, Op::plain, rows.B, Op::transposed, K);
    lapack::add_product(-1, rows.w.topRows(p), Op::transposed, rows.w.topRows(p), Op::plain, K);
    lapack::add_product(
        1, rows.w.bottomRows(q), Op::transposed, rows.w.bottomRows(q), Op::plain, K);
    for (std::size_t j = 0; j < places.size(); ++j)
      for (std::size_t k = 0; k < places.size(); ++k)
        C(places[k], places[j]) = K(static_cast<Index>(k), static_cast<Index>(j));
    return rows.b;
  }

  Kernel kernel_;
  TreeGram gram_;
  Vector alpha_;           // ordered
  std::vector<Vector> e_;  // by front
};

}  // namespace

std::unique_ptr<const Conditional> make_tree_conditional(
    std::shared_ptr<const TreeStructure> structure,
    const Kernel& kernel,
    const Posterior& posterior) {
  TreeGram gram(std::move(structure));
  gram.build(kernel);
  gram.add_jitter(posterior.jitter);
  Conditioned unused;
  const RowsHere& rows = gram.rows();
  const Sites sites{rows.here(posterior.sites.precision), rows.here(posterior.sites.shift)};
  if (!gram.condition(sites, Vector::Zero(gram.size()), Compute::factor, unused))
    throw NumericalError("the posterior does not belong to this kernel and these inputs");
  const Vector alpha = rows.here(posterior.alpha);
  return make_tree_conditional(kernel, alpha, std::move(gram));
}

std::unique_ptr<const Conditional> make_tree_conditional(const Kernel& kernel,
                                                         const Vector& alpha,
                                                         TreeGram gram) {
  return std::make_unique<TreeConditional>(kernel, alpha, std::move(gram));
}

std::unique_ptr<const Conditional> TreeGram::take_conditional(const Kernel& kernel,
                                                              const Vector& alpha) {
  TreeGram left(structure_);
  std::swap(left, *this);
  return make_tree_conditional(kernel, alpha, std::move(left));
}

}  // namespace ggpm::internal
