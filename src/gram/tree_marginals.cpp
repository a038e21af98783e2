#include <algorithm>
#include <cmath>

#include "gram/conditioning.hpp"
#include "gram/tree_gram.hpp"
#include "gram/tree_walk.hpp"

namespace ggpm::internal {
namespace {

using lapack::Op;

// Variances of eta given eps, and b of the leaf alone, as the dense engine has them.
struct LeafMarginals {
  Vector b, variance;
  Matrix Y, A;

  void compute(const SignedCholesky& factor,
               const Matrix& D,
               const Eigen::Ref<const Vector>& precision) {
    const Index n = factor.size();
    factor.inverse_triangle(Y);
    b = factor.inverse_diagonal(Y);
    variance.resize(n);
    std::vector<Index> weak;
    for (Index i = 0; i < n; ++i) {
      variance[i] = (1 - b[i]) / precision[i];
      if (std::abs(1 - b[i]) < kCancellation) weak.push_back(i);
    }
    if (weak.empty()) return;
    A.resize(n, static_cast<Index>(weak.size()));
    for (std::size_t k = 0; k < weak.size(); ++k) A.col(static_cast<Index>(k)) = D.col(weak[k]);
    factor.half_solve(A);
    const Index p = factor.positive();
    for (std::size_t k = 0; k < weak.size(); ++k) {
      const Index i = weak[k];
      const auto column = A.col(static_cast<Index>(k));
      variance[i] = D(i, i) - column.head(p).squaredNorm() + column.tail(n - p).squaredNorm();
      b[i] = 1 - precision[i] * variance[i];
    }
  }
};

// Down: Sigma of each front; at a leaf
//   V_ii = [D - D R D]_ii + b_i^T Sigma b_i,   b_i the rows of (I + D P)^-1 B.
class TreeMarginals : public WalksDownOnly {
 public:
  using State = Matrix;
  struct Scratch {
    Matrix Bt, BtS, M;
    LeafMarginals own;
  };

  TreeMarginals(const TreeGram& gram, const Vector& precision)
      : gram_(gram), precision_(precision), b(precision.size()), variance(precision.size()) {}

  void enter(Index i, const Matrix* parent, Matrix& Sigma, Scratch& scratch) const {
    gram_.covariance(i, parent, Sigma, scratch.M);
  }
  void leave(Index, const Matrix&, Nothing&, Nothing*, Scratch&) const {}

  void leaf(Index i, const Matrix& Sigma, Nothing&, Scratch& scratch) {
    const TreeLeaf& leaf = gram_.structure().leaves[at(i)];
    const auto precision = gram_.structure().part(precision_, leaf);
    const LeafPrior& prior = gram_.prior().leaf(i);
    scratch.own.compute(gram_.factor(i), prior.D, precision);
    auto v = gram_.structure().part(variance, leaf);
    auto left = gram_.structure().part(b, leaf);
    v = scratch.own.variance;
    left = scratch.own.b;
    if (prior.B.cols() == 0) return;
    scratch.Bt = prior.B;
    gram_.factor(i).shrink_transposed(scratch.Bt);
    scratch.BtS.resize(leaf.rows(), prior.B.cols());
    lapack::set_product(1, scratch.Bt, Op::plain, Sigma, Op::plain, scratch.BtS);
    const Vector explained = scratch.BtS.cwiseProduct(scratch.Bt).rowwise().sum();
    v += explained;
    left -= precision.cwiseProduct(explained);
  }

 private:
  const TreeGram& gram_;
  const Vector& precision_;

 public:
  Vector b, variance;  // (n) ordered
};

}  // namespace

// Sigma = [Sigma_A, -Sigma_A G^T; -G Sigma_A, S^-1 + G Sigma_A G^T]
void TreeGram::covariance(Index i, const Matrix* parent, Matrix& Sigma, Matrix& scratch) const {
  const TreeFront& front = structure_->fronts[at(i)];
  const Index a = front.active, r = front.own();
  const FrontPosterior& posterior = posteriors_[at(i)];
  Sigma.resize(front.size(), front.size());
  auto own = Sigma.bottomRightCorner(r, r);
  own = posterior.C;
  lapack::invert_triangle(own);
  lapack::multiply_transpose(own);
  lapack::mirror(own);
  if (a == 0) return;
  to_active(front, prior_.front(i).T, *parent, scratch, Sigma.topLeftCorner(a, a));
  auto below = Sigma.bottomLeftCorner(r, a);
  lapack::set_product(-1, posterior.G, Op::plain, Sigma.topLeftCorner(a, a), Op::plain, below);
  lapack::add_product(-1, below, Op::plain, posterior.G, Op::transposed, own);
  Sigma.topRightCorner(a, r) = below.transpose();
}

void TreeGram::add_marginals(const Sites& sites, Conditioned& out) {
  TreeMarginals down(*this, precision_);
  walk(*structure_, down);
  out.b = rows().by_row(down.b);
  out.variance = rows().by_row(down.variance);
  // Where a strong site is shared out between leaf and front, b is a difference. With sites of one
  // sign the cavity is not wider than the prior.
  if (rows().every((sites.precision.array() >= 0).all()))
    out.b = out.b.cwiseMax((1 + sites.precision.array() * diagonal_.array()).inverse().matrix());
  keep_positive(diagonal_, out.variance);
}

}  // namespace ggpm::internal
