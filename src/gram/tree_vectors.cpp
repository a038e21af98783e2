#include "gram/tree_vectors.hpp"

namespace ggpm::internal {
namespace {

using lapack::Op;

// Up, with the own part of each front integrated out of the posterior.
class HandIn : public WalksUpOnly {
 public:
  using Sum = Matrix;
  using Scratch = Nothing;
  HandIn(const TreeGram& gram, Of of, const TreeColumns& columns)
      : gram_(gram), of_(of), columns_(columns), own(gram.structure().fronts.size()) {}

  bool wants(Index node) const { return columns_.wants(node); }
  void reset(Index front, Matrix& h) const {
    h.setZero(gram_.structure().fronts[at(front)].size(), columns_.count());
  }
  void add(Matrix& h, const Matrix& part) const { h += part; }
  void leaf(Index i, const Nothing&, Matrix& h, Nothing&) const { columns_.hand_in(i, h); }

  void leave(Index i, const Nothing&, Matrix& h, Matrix* parent, Nothing&) {
    const TreeFront& front = gram_.structure().fronts[at(i)];
    auto active = h.topRows(front.active);
    Matrix& kept = own[at(i)];
    kept = h.bottomRows(front.own());
    if (of_ == Of::posterior) {
      const FrontPosterior& posterior = gram_.posterior(i);
      lapack::add_product(-1, posterior.G, Op::transposed, kept, Op::plain, active);
      lapack::solve_left(posterior.C, kept);
      lapack::solve_left_transposed(posterior.C, kept);
    }
    if (parent == nullptr) return;
    if (front.pruned())
      lapack::add_product(1, gram_.prior().front(i).T, Op::transposed, active, Op::plain, *parent);
    else
      *parent += active;
  }

 private:
  const TreeGram& gram_;
  const Of of_;
  const TreeColumns& columns_;

 public:
  std::vector<Matrix> own;  // by front
};

class HandOut : public WalksDownOnly {
 public:
  using State = Matrix;
  using Scratch = Nothing;
  HandOut(const TreeGram& gram, Of of, const std::vector<Matrix>& own, TreeColumns& columns)
      : gram_(gram), of_(of), own_(own), columns_(columns) {}

  bool wants(Index node) const { return columns_.wants(node); }
  void enter(Index i, const Matrix* parent, Matrix& e, Nothing&) {
    const TreeFront& front = gram_.structure().fronts[at(i)];
    const Index a = front.active;
    e.resize(front.size(), columns_.count());
    e.bottomRows(front.own()) = own_[at(i)];
    if (a > 0) {
      auto active = e.topRows(a);
      if (front.pruned())
        lapack::set_product(1, gram_.prior().front(i).T, Op::plain, *parent, Op::plain, active);
      else
        active = *parent;
      if (of_ == Of::posterior)
        lapack::add_product(
            -1, gram_.posterior(i).G, Op::plain, active, Op::plain, e.bottomRows(front.own()));
    }
    columns_.at_front(i, e);
  }
  void leaf(Index i, const Matrix& e, Nothing&, Nothing&) { columns_.at_leaf(i, e); }
  void leave(Index, const Matrix&, Nothing&, Nothing*, Nothing&) const {}

 private:
  const TreeGram& gram_;
  const Of of_;
  const std::vector<Matrix>& own_;
  TreeColumns& columns_;
};

}  // namespace

void solve_columns(const TreeGram& gram, Of of, TreeColumns& columns) {
  HandIn up(gram, of, columns);
  walk(gram.structure(), up);
  HandOut down(gram, of, up.own, columns);
  walk(gram.structure(), down);
}

}  // namespace ggpm::internal
