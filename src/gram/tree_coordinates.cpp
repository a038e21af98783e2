#include <algorithm>

#include "gram/tree_prior.hpp"

namespace ggpm::internal {
namespace {

using lapack::Op;

constexpr Index kParts = 4;  // of the staircase T

Index border(Index size, Index part) { return size * part / kParts; }

}  // namespace

// T^T M T by blocks of columns of T: those from column j on are zero above the row that keeps j.
void add_from_active(
    const TreeFront& front, const Matrix& T, const Matrix& M, Matrix& scratch, Matrix& parent) {
  if (!front.pruned()) {
    parent += M;
    return;
  }
  const Index a = T.rows(), size = T.cols();
  const auto first_row = [&](Index column) {
    return std::lower_bound(front.kept.begin(), front.kept.end(), column) - front.kept.begin();
  };
  scratch.resize(a, size);
  for (Index p = 0; p < kParts; ++p) {
    const Index j = border(size, p), width = border(size, p + 1) - j, i = first_row(j);
    auto MT = scratch.block(i, j, a - i, width);
    lapack::set_product(1,
                        M.bottomRightCorner(a - i, a - i),
                        Op::plain,
                        T.block(i, j, a - i, width),
                        Op::plain,
                        MT);
    for (Index q = p; q < kParts; ++q) {
      const Index k = border(size, q), height = border(size, q + 1) - k, below = first_row(k);
      lapack::add_product(1,
                          T.block(below, k, a - below, height),
                          Op::transposed,
                          scratch.block(below, j, a - below, width),
                          Op::plain,
                          parent.block(k, j, height, width));
    }
  }
}

// T P T^T by blocks of rows of T: those up to row i are zero right of the point that i keeps.
void to_active(
    const TreeFront& front, const Matrix& T, const Matrix& P, Matrix& scratch, lapack::Block A) {
  if (!front.pruned()) {
    A = P;
    return;
  }
  const Index a = T.rows();
  const auto columns = [&](Index rows) { return rows == 0 ? 0 : front.kept[at(rows - 1)] + 1; };
  scratch.resize(a, T.cols());
  for (Index p = 0; p < kParts; ++p) {
    const Index i = border(a, p), end = border(a, p + 1), height = end - i, width = columns(end);
    auto TP = scratch.block(i, 0, height, width);
    lapack::set_product(
        1, T.block(i, 0, height, width), Op::plain, P.topLeftCorner(width, width), Op::plain, TP);
    for (Index q = 0; q <= p; ++q) {
      const Index k = border(a, q), last = border(a, q + 1), inner = columns(last);
      lapack::set_product(1,
                          scratch.block(i, 0, height, inner),
                          Op::plain,
                          T.block(k, 0, last - k, inner),
                          Op::transposed,
                          A.block(i, k, height, last - k));
    }
  }
  lapack::mirror(A);
}

}  // namespace ggpm::internal
