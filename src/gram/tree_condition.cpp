#include <cmath>
#include <limits>

#include "gram/conditioning.hpp"
#include "gram/tree_gram.hpp"
#include "gram/tree_vectors.hpp"
#include "gram/tree_walk.hpp"

namespace ggpm::internal {
namespace {

using lapack::Op;
using Status = SignedCholesky::Status;

// Up: Lambda of each front, of which C and G are kept.
class Factor : public WalksUpOnly {
 public:
  using Sum = Matrix;
  struct Scratch {
    Matrix H, M, MT;
  };

  Factor(const TreeStructure& tree,
         const TreePrior& prior,
         const Vector& precision,
         std::vector<SignedCholesky>& factors,
         std::vector<FrontPosterior>& posteriors)
      : tree_(tree),
        prior_(prior),
        precision_(precision),
        factors_(factors),
        posteriors_(posteriors),
        leaf_status(tree.leaves.size(), Status::ok),
        leaf_log_det(static_cast<Index>(tree.leaves.size())),
        front_proper(tree.fronts.size(), 1),
        front_log_det(static_cast<Index>(tree.fronts.size())) {}

  void reset(Index front, Matrix& sum) const {
    const Index size = tree_.fronts[at(front)].size();
    sum.setZero(size, size);
  }
  void add(Matrix& sum, const Matrix& part) const { sum += part; }

  void leaf(Index i, const Nothing&, Matrix& sum, Scratch& scratch) {
    SignedCholesky& factor = factors_[at(i)];
    const LeafPrior& prior = prior_.leaf(i);
    leaf_status[at(i)] = factor.factor(prior.D, tree_.part(precision_, tree_.leaves[at(i)]));
    if (leaf_status[at(i)] != Status::ok) return;
    leaf_log_det[i] = factor.log_determinant();
    if (prior.B.cols() == 0) return;
    scratch.H = prior.B;
    factor.half_solve(scratch.H);
    const Index p = factor.positive();
    lapack::add_inner(1, scratch.H.topRows(p), sum);
    lapack::add_inner(-1, scratch.H.bottomRows(factor.size() - p), sum);
  }

  void leave(Index i, const Nothing&, Matrix& sum, Matrix* parent, Scratch& scratch) {
    const TreeFront& front = tree_.fronts[at(i)];
    const Index a = front.active, r = front.own();
    FrontPosterior& out = posteriors_[at(i)];
    out.C = sum.bottomRightCorner(r, r);
    out.C.diagonal().array() += 1;
    if (!lapack::cholesky(out.C) || !out.C.diagonal().allFinite()) {
      front_proper[at(i)] = 0;
      return;
    }
    front_log_det[i] = 2 * out.C.diagonal().array().log().sum();
    if (parent == nullptr) return;
    out.G = sum.bottomLeftCorner(r, a);
    lapack::solve_left(out.C, out.G);
    scratch.M = sum.topLeftCorner(a, a);
    lapack::add_inner(-1, out.G, scratch.M);
    lapack::mirror(scratch.M);
    lapack::solve_left_transposed(out.C, out.G);
    add_from_active(front, prior_.front(i).T, scratch.M, scratch.MT, *parent);
  }

  // What every rank has found, for all of them.
  void gather() {
    if (tree_.share.alone()) return;
    Vector status(leaf_log_det.size()), proper(front_log_det.size());
    for (Index i = 0; i < status.size(); ++i)
      status[i] = static_cast<double>(static_cast<int>(leaf_status[at(i)]));
    for (Index i = 0; i < proper.size(); ++i) proper[i] = front_proper[at(i)];
    tree_.share.gather_leaves(status);
    tree_.share.gather_fronts(proper);
    for (Index i = 0; i < status.size(); ++i)
      leaf_status[at(i)] = static_cast<Status>(static_cast<int>(status[i]));
    for (Index i = 0; i < proper.size(); ++i) front_proper[at(i)] = proper[i] != 0 ? 1 : 0;
    tree_.share.gather_leaves(leaf_log_det);
    tree_.share.gather_fronts(front_log_det);
  }

 private:
  const TreeStructure& tree_;
  const TreePrior& prior_;
  const Vector& precision_;
  std::vector<SignedCholesky>& factors_;
  std::vector<FrontPosterior>& posteriors_;

 public:
  std::vector<Status> leaf_status;
  Vector leaf_log_det;
  std::vector<char> front_proper;
  Vector front_log_det;
};

}  // namespace

void TreeGram::build(const Kernel& kernel) {
  jitter_ = 0;
  factorizations_ = 0;
  const TreeStructure& tree = *structure_;
  // Leaf by leaf: vector instructions end a sum over many rows in an order that depends on their number.
  Vector diagonal(rows().size());
  for (const TreeLeaf& leaf : tree.leaves)
    if (tree.is_here(leaf)) tree.part(diagonal, leaf) = kernel.diagonal(tree.rows_of(leaf));
  diagonal_ = rows().by_row(diagonal);
  prior_.build(*structure_, kernel);
  factors_.resize(structure_->leaves.size());
  posteriors_.resize(structure_->fronts.size());
}

void TreeGram::add_jitter(double jitter) {
  if (jitter == 0) return;
  prior_.add_to_diagonal(jitter);
  diagonal_.array() += jitter;
  jitter_ += jitter;
}

Status TreeGram::factor_once(const Vector& precision) {
  Factor up(*structure_, prior_, precision, factors_, posteriors_);
  ++factorizations_;
  walk(*structure_, up);
  up.gather();
  Status worst = Status::ok;
  for (const Status status : up.leaf_status) worst = std::max(worst, status);
  if (worst != Status::ok) return worst;
  for (const char proper : up.front_proper)
    if (proper == 0) return Status::improper;
  log_det_ = up.leaf_log_det.sum() + up.front_log_det.sum();
  return worst;
}

bool TreeGram::factor(const Vector& precision) {
  if (!prior_.finite() || !rows().every(diagonal_.allFinite()))
    throw NumericalError(
        "the kernel matrix has an entry that is not finite; look for extreme hyperparameters or "
        "inputs");
  Status status = factor_once(precision);
  climb_jitter(
      rows().largest(diagonal_.maxCoeff()), status == Status::indefinite, [&](double jitter) {
        add_jitter(jitter - jitter_);
        status = factor_once(precision);
        return status == Status::indefinite;
      });
  return status == Status::ok;
}

bool TreeGram::condition(const Sites& sites,
                         const Vector& prior_mean,
                         Compute compute,
                         Conditioned& out) {
  if (!rows().every(sites.shift.allFinite())) return false;
  precision_ = rows().by_group(sites.precision);
  if (!factor(precision_)) return false;
  out.log_det = log_det_;
  if (compute == Compute::factor) return true;
  out.alpha = sites.shift - sites.precision.cwiseProduct(prior_mean);
  shrink_and_multiply(out.alpha, out.mean);
  out.mean += prior_mean;
  refine_mean(sites, diagonal_, out);
  if (!rows().every(out.mean.allFinite())) return false;
  if (compute == Compute::marginals) add_marginals(sites, out);
  return true;
}

// ---- products and solves, with e of each front ----

namespace {

// K x = B e + D x.
class Product final : public TreeColumns {
 public:
  Product(const TreeGram& gram, const Vector& ordered)
      : gram_(gram), x_(ordered), out(ordered.size()) {}
  void hand_in(Index i, Matrix& h) const override {
    const Vector x = gram_.structure().part(x_, gram_.structure().leaves[at(i)]);
    lapack::add_product(1, gram_.prior().leaf(i).B, Op::transposed, x, Op::plain, h);
  }
  void at_leaf(Index i, const Matrix& e) override {
    const TreeLeaf& leaf = gram_.structure().leaves[at(i)];
    const LeafPrior& prior = gram_.prior().leaf(i);
    Vector y;
    lapack::multiply_symmetric(prior.D, gram_.structure().part(x_, leaf), y);
    lapack::add_product(1, prior.B, Op::plain, e, Op::plain, y);
    gram_.structure().part(out, leaf) = y;
  }

 private:
  const TreeGram& gram_;
  const Vector& x_;

 public:
  Vector out;
};

// y = (I + P K)^-1 x = rho(x - P B e), where rho(x) = (I + P D)^-1 x within the leaf; e is the
// posterior mean of eps that x makes, so that V x = K y = B e + D y comes with it.
class Shrinkage final : public TreeColumns {
 public:
  Shrinkage(const TreeGram& gram, const Vector& precision, const Vector& ordered, bool multiply)
      : gram_(gram),
        precision_(precision),
        x_(ordered),
        multiply_(multiply),
        out(ordered.size()),
        product(multiply ? ordered.size() : 0) {}
  void hand_in(Index i, Matrix& h) const override {
    Vector z = gram_.structure().part(x_, gram_.structure().leaves[at(i)]);
    gram_.factor(i).shrink(z);
    lapack::add_product(1, gram_.prior().leaf(i).B, Op::transposed, z, Op::plain, h);
  }
  void at_leaf(Index i, const Matrix& e) override {
    const TreeLeaf& leaf = gram_.structure().leaves[at(i)];
    const LeafPrior& prior = gram_.prior().leaf(i);
    Vector Be = Vector::Zero(leaf.rows());
    lapack::add_product(1, prior.B, Op::plain, e, Op::plain, Be);
    const TreeStructure& tree = gram_.structure();
    Vector y = tree.part(x_, leaf) - tree.part(precision_, leaf).cwiseProduct(Be);
    gram_.factor(i).shrink(y);
    tree.part(out, leaf) = y;
    if (!multiply_) return;
    Vector Dy;
    lapack::multiply_symmetric(prior.D, y, Dy);
    tree.part(product, leaf) = Be + Dy;
  }

 private:
  const TreeGram& gram_;
  const Vector &precision_, &x_;
  const bool multiply_;

 public:
  Vector out, product;
};

// e itself.
class Coordinates final : public TreeColumns {
 public:
  Coordinates(const TreeGram& gram, const Vector& ordered)
      : gram_(gram), x_(ordered), out(gram.structure().fronts.size()) {}
  void hand_in(Index i, Matrix& h) const override {
    const Vector x = gram_.structure().part(x_, gram_.structure().leaves[at(i)]);
    lapack::add_product(1, gram_.prior().leaf(i).B, Op::transposed, x, Op::plain, h);
  }
  void at_front(Index i, const Matrix& e) override { out[at(i)] = e; }

 private:
  const TreeGram& gram_;
  const Vector& x_;

 public:
  std::vector<Vector> out;
};

}  // namespace

void TreeGram::multiply(const Vector& x, Vector& Kx) const {
  const Vector ordered = rows().by_group(x);
  Product product(*this, ordered);
  solve_columns(*this, Of::prior, product);
  Kx = rows().by_row(product.out);
}

void TreeGram::shrink(Vector& x) const {
  const Vector ordered = rows().by_group(x);
  Shrinkage shrinkage(*this, precision_, ordered, false);
  solve_columns(*this, Of::posterior, shrinkage);
  x = rows().by_row(shrinkage.out);
}

void TreeGram::shrink_and_multiply(Vector& x, Vector& Vx) const {
  const Vector ordered = rows().by_group(x);
  Shrinkage shrinkage(*this, precision_, ordered, true);
  solve_columns(*this, Of::posterior, shrinkage);
  x = rows().by_row(shrinkage.out);
  Vx = rows().by_row(shrinkage.product);
}

std::vector<Vector> TreeGram::coordinates(const Vector& ordered) const {
  Coordinates coordinates(*this, ordered);
  solve_columns(*this, Of::prior, coordinates);
  return std::move(coordinates.out);
}

}  // namespace ggpm::internal
