#include "inference/class_blocks.hpp"

#include <cmath>

#include "gram/lapack.hpp"

namespace ggpm::internal {
namespace {

Index side_of(Index entries) {
  return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(entries))));
}

}  // namespace

Matrix block_of(const Eigen::Ref<const Matrix>& blocks, Index i) {
  const Index C = side_of(blocks.cols());
  Matrix out(C, C);
  for (Index a = 0; a < C; ++a)
    for (Index b = 0; b < C; ++b) out(a, b) = blocks(i, a * C + b);
  return out;
}

void set_block(Matrix& blocks, Index i, const Matrix& block) {
  const Index C = block.rows();
  for (Index a = 0; a < C; ++a)
    for (Index b = 0; b < C; ++b) blocks(i, a * C + b) = block(a, b);
}

Matrix times_blocks(const Eigen::Ref<const Matrix>& blocks, const Matrix& x) {
  const Index C = x.cols();
  Matrix out = Matrix::Zero(x.rows(), C);
  for (Index a = 0; a < C; ++a)
    for (Index b = 0; b < C; ++b) out.col(a) += blocks.col(a * C + b).cwiseProduct(x.col(b));
  return out;
}

Matrix root_of_block(const Matrix& P) {
  const Index C = P.rows(), D = C - 1;
  Matrix rest = P, root = Matrix::Zero(C, D);
  for (Index k = 0; k < D; ++k) {
    Index pivot = 0;
    const double largest = rest.diagonal().maxCoeff(&pivot);
    if (!(largest > 0)) break;
    root.col(k) = rest.col(pivot) / std::sqrt(largest);
    for (Index b = 0; b < C; ++b) rest.col(b) -= root(b, k) * root.col(k);
    rest.row(pivot).setZero();  // what rounding has left
    rest.col(pivot).setZero();
  }
  return root;
}

Matrix ClassMatrices::times(const Matrix& x) const {
  Matrix out(rows(), x.cols());
  using lapack::Op;
  if (are_shared()) {
    lapack::set_product(1, of(0), Op::plain, x, Op::plain, out);
    return out;
  }
  for (Index c = 0; c < x.cols(); ++c)
    lapack::set_product(1, of(c), Op::plain, x.middleCols(c, 1), Op::plain, out.middleCols(c, 1));
  return out;
}

Matrix ClassMatrices::times_transposed(const Matrix& x) const {
  Matrix out(cols(), x.cols());
  using lapack::Op;
  if (are_shared()) {
    lapack::set_product(1, of(0), Op::transposed, x, Op::plain, out);
    return out;
  }
  for (Index c = 0; c < x.cols(); ++c)
    lapack::set_product(
        1, of(c), Op::transposed, x.middleCols(c, 1), Op::plain, out.middleCols(c, 1));
  return out;
}

Matrix ClassMatrices::diagonals(Index classes) const {
  Matrix out(rows(), classes);
  for (Index c = 0; c < classes; ++c) out.col(c) = of(c).diagonal();
  return out;
}

}  // namespace ggpm::internal
