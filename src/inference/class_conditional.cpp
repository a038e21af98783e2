#include "inference/class_conditional.hpp"

#include <cmath>

#include "gram/lapack.hpp"

namespace ggpm::internal {
namespace {

using lapack::Op;

void factor(Matrix& A) {
  if (!lapack::cholesky(A) || !A.diagonal().allFinite())
    throw NumericalError(
        "the matrix of several classes cannot be factored; look for extreme hyperparameters");
}

double log_det_of_factor(const Matrix& L) { return 2 * L.diagonal().array().log().sum(); }

// diag(s) A diag(s)
void scale(Matrix& A, const Vector& s) {
  for (Index j = 0; j < A.cols(); ++j) A.col(j) = s[j] * A.col(j).cwiseProduct(s);
}

Matrix product(const Matrix& A, const Matrix& B) {
  Matrix out(A.rows(), B.cols());
  lapack::set_product(1, A, Op::plain, B, Op::plain, out);
  return out;
}

}  // namespace

ClassConditional ClassConditional::of_probabilities(const ClassMatrices& K, const Matrix& d) {
  const Index n = K.rows(), C = d.cols();
  ClassConditional out;
  out.L_ = Matrix::Zero(n, n);
  for (Index c = 0; c < C; ++c) {
    const Vector root = d.col(c).cwiseSqrt();
    Matrix& E = out.E_.emplace_back(K.of(c));
    scale(E, root);
    E.diagonal().array() += 1;
    factor(E);
    out.log_det_ += log_det_of_factor(E);
    lapack::invert_triangle(E);
    lapack::multiply_transpose(E);
    lapack::mirror(E);
    scale(E, root);
    out.L_ += E;
  }
  factor(out.L_);
  out.log_det_ += log_det_of_factor(out.L_) - d.rowwise().sum().array().log().sum();
  return out;
}

// P_i = l_i l_i^T with l_i (C, C-1), so that with B = I + l^T K l = L L^T:  E = l B^-1 l^T. Number
// (i, a) of l^T K l stands at a n + i.
ClassConditional ClassConditional::of_blocks(const ClassMatrices& K,
                                             const Eigen::Ref<const Matrix>& blocks) {
  const Index n = K.rows(), C = block_of(blocks, 0).rows(), D = C - 1;
  std::vector<Matrix> l(static_cast<std::size_t>(C), Matrix(n, D));  // a class: its rows of all l_i
  for (Index i = 0; i < n; ++i) {
    const Matrix root = root_of_block(block_of(blocks, i));
    for (Index c = 0; c < C; ++c) l[static_cast<std::size_t>(c)].row(i) = root.row(c);
  }
  Matrix B = Matrix::Zero(n * D, n * D);
  for (Index c = 0; c < C; ++c) {
    const Matrix &Kc = K.of(c), &lc = l[static_cast<std::size_t>(c)];
    for (Index b = 0; b < D; ++b)
      for (Index j = 0; j < n; ++j) {
        if (lc(j, b) == 0) continue;
        const Vector column = lc(j, b) * Kc.col(j);
        for (Index a = b; a < D; ++a)
          B.col(b * n + j).segment(a * n, n) += column.cwiseProduct(lc.col(a));
      }
  }
  B.diagonal().array() += 1;
  factor(B);
  ClassConditional out;
  out.log_det_ = log_det_of_factor(B);
  for (Index c = 0; c < C; ++c) {
    Matrix& F = out.F_.emplace_back(Matrix::Zero(n * D, n));
    for (Index a = 0; a < D; ++a)
      F.block(a * n, 0, n, n).diagonal() = l[static_cast<std::size_t>(c)].col(a);
    lapack::solve_left(B, F);
  }
  return out;
}

void ClassConditional::prepare() {
  if (!F_.empty()) return;
  for (const Matrix& E : E_) lapack::solve_left(L_, F_.emplace_back(E));
}

Matrix ClassConditional::apply(const Matrix& x) const {
  const Index C = x.cols();
  if (E_.empty()) {
    Matrix sum = Matrix::Zero(F_.front().rows(), 1), out(x.rows(), C);
    for (Index c = 0; c < C; ++c)
      lapack::add_product(1, F(c), Op::plain, x.middleCols(c, 1), Op::plain, sum);
    for (Index c = 0; c < C; ++c)
      lapack::set_product(1, F(c), Op::transposed, sum, Op::plain, out.middleCols(c, 1));
    return out;
  }
  Matrix out(x.rows(), C);
  for (Index c = 0; c < C; ++c)
    lapack::set_product(1, E(c), Op::plain, x.middleCols(c, 1), Op::plain, out.middleCols(c, 1));
  Vector sum = out.rowwise().sum();
  lapack::solve(L_, sum);
  lapack::solve_transposed(L_, sum);
  for (Index c = 0; c < C; ++c)
    lapack::add_product(-1, E(c), Op::plain, sum, Op::plain, out.middleCols(c, 1));
  return out;
}

Matrix ClassConditional::diagonal_block(Index c) const {
  const Index n = F_.front().cols();
  Matrix out = E_.empty() ? Matrix(Matrix::Zero(n, n)) : E(c);
  lapack::add_inner(E_.empty() ? 1 : -1, F(c), out);
  lapack::mirror(out);
  return out;
}

Matrix ClassConditional::covariances(const ClassMatrices& k, const Matrix& prior) const {
  const Index C = classes();
  Matrix out(k.cols(), C * C);
  std::vector<Matrix> G;
  for (Index c = 0; c < C; ++c) G.push_back(product(F(c), k.of(c)));
  for (Index a = 0; a < C; ++a)
    for (Index b = a; b < C; ++b) {
      const Matrix &Ga = G[static_cast<std::size_t>(a)], &Gb = G[static_cast<std::size_t>(b)];
      Vector entry = Ga.cwiseProduct(Gb).colwise().sum().transpose();
      if (E_.empty()) entry = -entry;
      if (a == b) entry += prior.col(a);
      if (a == b && !E_.empty())
        entry -= k.of(a).cwiseProduct(product(E(a), k.of(a))).colwise().sum().transpose();
      if (a == b) entry = entry.cwiseMax(0);
      out.col(a * C + b) = entry;
      out.col(b * C + a) = entry;
    }
  return out;
}

}  // namespace ggpm::internal
