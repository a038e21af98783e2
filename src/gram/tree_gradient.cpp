// The adjoint of the tree's prior. Fisher's identity over the graph: every conditional
// distribution, own points given active ones and a leaf given its front, contributes with the
// posterior moments of its variables. For eta_l = B eps + delta, and likewise for own points,
//   Sbar = adjoint of D,   H = adjoint of B,
//   K_ll: Sbar,  K_lF: (H - 2 Sbar B) L^-1,  K_FF: L^-T [B^T Sbar B - sym(B^T H)] L^-1.
// Brackets of all leaves of a front are summed before the solves, and what concerns active points
// is handed to the parent, whose points they are.
#include "gram/tree_features.hpp"
#include "gram/tree_gram.hpp"
#include "gram/tree_walk.hpp"

namespace ggpm::internal {
namespace {

using lapack::Op;

struct Adjoint {
  Matrix bracket;   // (size, size) in coordinates eps, not symmetric yet
  Matrix points;    // (size, size) of K of the points, from the fronts below
  Vector gradient;  // of the kernel's parameters
  Vector trace;     // of K of the points, by their groups: adjoint of the jitter
};

template <class Body>
void for_numbers(Adjoint& sum, const Body& body) {
  for_numbers(sum.bracket, body);
  for_numbers(sum.points, body);
  for (Vector* numbers : {&sum.gradient, &sum.trace})
    body(std::span<double>(numbers->data(), at(numbers->size())));
}

class PullBack : public WalksEverywhere {
 public:
  using State = Matrix;
  using Sum = Adjoint;
  struct Scratch {
    Matrix M, Y, RB, RBS, S, SB, H, K;
  };

  PullBack(const TreeGram& gram, const Kernel& kernel, const Vector& alpha, const Vector& v)
      : gram_(gram),
        tree_(gram.structure()),
        kernel_(kernel),
        points_(tree_, kernel),
        alpha_(alpha),
        v_(v),
        e_(gram.coordinates(alpha)),
        ev_(gram.coordinates(v)),
        parameters_(static_cast<Index>(kernel.parameters().size())) {}

  Vector gradient() const { return gradient_; }

  void enter(Index i, const Matrix* parent, Matrix& Sigma, Scratch& scratch) const {
    gram_.covariance(i, parent, Sigma, scratch.M);
  }
  void reset(Index front, Adjoint& sum) const {
    const Index size = tree_.fronts[at(front)].size();
    sum.bracket.setZero(size, size);
    sum.points.setZero(size, size);
    sum.gradient.setZero(parameters_);
    sum.trace.setZero(points_.groups());
  }
  void add(Adjoint& sum, const Adjoint& part) const {
    sum.bracket += part.bracket;
    sum.points += part.points;
    sum.gradient += part.gradient;
    sum.trace += part.trace;
  }

  void leaf(Index i, const Matrix& Sigma, Adjoint& sum, Scratch& s) const {
    const TreeLeaf& leaf = tree_.leaves[at(i)];
    const TreeFront& front = tree_.fronts[at(leaf.front)];
    const Matrix& B = gram_.prior().leaf(i).B;
    const Vector alpha = tree_.part(alpha_, leaf);
    const Vector v = tree_.part(v_, leaf);
    const Matrix X = tree_.rows_of(leaf);
    s.RB = B;
    gram_.factor(i).solve(s.RB);
    s.RBS.resize(B.rows(), B.cols());
    lapack::set_product(1, s.RB, Op::plain, Sigma, Op::plain, s.RBS);
    residual_adjoint(gram_.factor(i), alpha, v, s);
    sum.gradient += kernel_.pull_back(X, s.S);
    if (B.cols() == 0) return;
    s.H = -s.RBS;
    s.H.noalias() += (alpha + v) * e_[at(leaf.front)].transpose();
    s.H.noalias() += alpha * ev_[at(leaf.front)].transpose();
    s.SB.resize(B.rows(), B.cols());
    lapack::set_product(1, s.S, Op::plain, B, Op::plain, s.SB);
    s.K = s.H - 2 * s.SB;
    lapack::solve_right(gram_.prior().front(leaf.front).L, s.K);
    sum.gradient += points_.pull_back_to_points(X, front, s.K);
    s.SB -= s.H;
    lapack::add_product(1, B, Op::transposed, s.SB, Op::plain, sum.bracket);
  }

  void leave(Index i, const Matrix& Sigma, Adjoint& sum, Adjoint* parent, Scratch& s) {
    const TreeFront& front = tree_.fronts[at(i)];
    const Index a = front.active, r = front.own();
    if (front.size() > 0) {
      add_own_points(i, Sigma, sum);
      const Matrix& L = gram_.prior().front(i).L;
      s.K = 0.5 * (sum.bracket + sum.bracket.transpose());
      lapack::solve_left_transposed(L, s.K);
      lapack::solve_right(L, s.K);
      for (Index k = 0; k < a + r; ++k) sum.trace[points_.group_of(k)] += s.K(k, k);
      sum.points += s.K;
      s.M = sum.points.bottomRows(r);
      s.M.leftCols(a) *= 2;
      sum.gradient += points_.pull_back_among_points(front, s.M);
    }
    if (parent != nullptr) return hand_up(front, sum, *parent);
    gradient_ = sum.gradient;
    if (front.size() > 0)
      gradient_ += points_.pull_back_variances(front, gram_.prior().relative_jitter() * sum.trace);
  }

 private:
  // Sbar = 1/2 (alpha alpha^T + R B Sigma B^T R - R) + sym(v alpha^T), full.
  static void residual_adjoint(const SignedCholesky& factor,
                               const Vector& alpha,
                               const Vector& v,
                               Scratch& s) {
    const Index n = factor.size();
    s.S.resize(n, n);
    lapack::set_product(0.5, s.RBS, Op::plain, s.RB, Op::transposed, s.S);
    s.S.noalias() += 0.5 * alpha * (alpha + v).transpose();
    s.S.noalias() += 0.5 * v * alpha.transpose();
    factor.inverse_triangle(s.Y);
    factor.inverse(s.Y);
    const Vector& scale = factor.scale();
    for (Index j = 0; j < n; ++j) {
      const Index column = factor.order()[at(j)];
      for (Index i = j; i < n; ++i) {
        const Index row = factor.order()[at(i)];
        s.S(std::max(row, column), std::min(row, column)) -=
            0.5 * scale[row] * s.Y(i, j) * scale[column];
      }
    }
    lapack::mirror(s.S);
  }

  // In coordinates eps the own points are N(0, I) given the active ones.
  void add_own_points(Index i, const Matrix& Sigma, Adjoint& sum) const {
    const TreeFront& front = tree_.fronts[at(i)];
    const Index a = front.active, r = front.own();
    const Vector &e = e_[at(i)], &ev = ev_[at(i)];
    auto own = sum.bracket.bottomRows(r);
    own += 0.5 * Sigma.bottomRows(r);
    own.noalias() += 0.5 * e.tail(r) * (e + ev).transpose();
    own.noalias() += 0.5 * ev.tail(r) * e.transpose();
    // The bracket is made symmetric by halves: what stands in one half only counts twice.
    own.leftCols(a) += 0.5 * Sigma.bottomLeftCorner(r, a);
    own.leftCols(a).noalias() += 0.5 * e.tail(r) * (e + ev).head(a).transpose();
    own.leftCols(a).noalias() += 0.5 * ev.tail(r) * e.head(a).transpose();
    own.rightCols(r).diagonal().array() -= 0.5;
  }

  static void hand_up(const TreeFront& front, const Adjoint& sum, Adjoint& parent) {
    parent.gradient += sum.gradient;
    parent.trace += sum.trace;
    const Index a = front.active;
    if (!front.pruned()) {
      parent.points += sum.points.topLeftCorner(a, a);
      return;
    }
    for (Index j = 0; j < a; ++j)
      for (Index k = 0; k < a; ++k)
        parent.points(front.kept[at(k)], front.kept[at(j)]) += sum.points(k, j);
  }

  const TreeGram& gram_;
  const TreeStructure& tree_;
  const Kernel& kernel_;
  const PointKernel points_;
  const Vector &alpha_, &v_;
  const std::vector<Vector> e_, ev_;
  const Index parameters_;
  Vector gradient_;
};

}  // namespace

Vector TreeGram::pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) {
  const Vector ordered_alpha = rows().by_group(alpha), ordered_v = rows().by_group(v);
  PullBack adjoint(*this, kernel, ordered_alpha, ordered_v);
  walk(*structure_, adjoint);
  return adjoint.gradient();
}

}  // namespace ggpm::internal
