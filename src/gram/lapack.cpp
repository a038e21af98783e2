#include "gram/lapack.hpp"

#include <cblas.h>
#include <lapack.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "index.hpp"
#include "kernel/tiles/simd.hpp"
#include "parallel/blas_core.hpp"
#include "parallel/blas_memory.hpp"
#include "parallel/stop.hpp"

namespace ggpm::internal::lapack {
namespace {

constexpr char kLower = 'L';
constexpr Index kSmallTriangle = 32;
// Calls of more operations are made in pieces, between which a wish to stop is heard: at n = 20,000 a
// factorization takes minutes.
constexpr double kMostOperations = 2e10;
constexpr Index kLargeTriangle = 3000;

// body(begin, count) for parts of `total` columns (or rows) that cost `each` operations.
template <class Body>
void in_pieces(Index total, double each, const Body& body) {
  const double most = std::max(1.0, kMostOperations / std::max(each, 1.0));
  const Index piece = most >= double(total) ? total : static_cast<Index>(most);
  for (Index begin = 0; begin < total; begin += piece) {
    if (piece < total) check_stop();
    body(begin, std::min(piece, total - begin));
  }
}

int to_int(Index size) {
  if (size > std::numeric_limits<int>::max())
    throw UsageError("a matrix of " + std::to_string(size) + " rows is beyond the reach of BLAS");
  return static_cast<int>(size);
}

// LAPACK wants a leading dimension of at least 1, also for an empty block.
int leading(const ConstBlock& A) { return std::max(1, to_int(A.outerStride())); }

CBLAS_TRANSPOSE transposed(Op as) { return as == Op::plain ? CblasNoTrans : CblasTrans; }

bool has_small_kernels() {
  static const bool found = [] {
    const std::string_view core = blas_core();
    return core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids";
  }();
  return found;
}

// OpenBLAS multiplies products of up to 1e6 terms without copying them first, on processors with
// AVX-512, and then nearly twice as fast: a larger one of which the left factor is in the cache is
// worth cutting up, and a transposed left factor, for which that is no faster, worth turning over.
constexpr double kSmallProduct = 1e6;
constexpr Index kMostCached = 100'000;  // entries of the left factor
constexpr Index kPanel = 8, kWidestPanel = 32;

// By blocks that stay in registers.
void turn_over(const ConstBlock& A, Matrix& out) {
  constexpr Index kSize = 8;
  out.resize(A.cols(), A.rows());
  const Index rows = A.rows() / kSize * kSize, cols = A.cols() / kSize * kSize;
  for (Index j = 0; j < cols; j += kSize)
    for (Index i = 0; i < rows; i += kSize)
      out.block<kSize, kSize>(j, i) = A.block<kSize, kSize>(i, j).transpose();
  out.bottomRows(A.cols() - cols) = A.rightCols(A.cols() - cols).transpose();
  out.rightCols(A.rows() - rows) = A.bottomRows(A.rows() - rows).transpose();
}

void multiply_blocks(
    double factor, const ConstBlock& A, Op a, const ConstBlock& B, Op b, double keep, Block& C) {
  const Index depth = a == Op::plain ? A.cols() : A.rows();
  Index width = C.cols();
  if (has_small_kernels() && A.size() <= kMostCached) {
    if (a == Op::transposed && C.cols() > 2 * kPanel) {
      thread_local Matrix turned;
      turn_over(A, turned);
      return multiply_blocks(factor, turned, Op::plain, B, b, keep, C);
    }
    const auto most = static_cast<Index>(kSmallProduct / double(C.rows() * depth));
    if (most >= kPanel) width = std::min(most / kPanel * kPanel, kWidestPanel);
  }
  const double each = 2.0 * double(C.rows()) * double(depth);
  const bool large = each * double(width) > kMostOperations;
  if (large) width = std::max<Index>(1, static_cast<Index>(kMostOperations / each));
  for (Index j = 0; j < C.cols(); j += width) {
    if (large) check_stop();
    const BlasCall call;
    cblas_dgemm(CblasColMajor,
                transposed(a),
                transposed(b),
                to_int(C.rows()),
                to_int(std::min(width, C.cols() - j)),
                to_int(depth),
                factor,
                A.data(),
                leading(A),
                B.data() + (b == Op::plain ? j * B.outerStride() : j),
                leading(B),
                keep,
                C.data() + j * C.outerStride(),
                leading(C));
  }
}

void multiply(
    double factor, const ConstBlock& A, Op a, const ConstBlock& B, Op b, double keep, Block& C) {
  if (C.cols() == 1 && b == Op::plain) {  // dgemm would copy A first
    const BlasCall call;
    cblas_dgemv(CblasColMajor,
                transposed(a),
                to_int(A.rows()),
                to_int(A.cols()),
                factor,
                A.data(),
                leading(A),
                B.data(),
                1,
                keep,
                C.data(),
                1);
    return;
  }
  multiply_blocks(factor, A, a, B, b, keep, C);
}

// L^-1 of a small triangle. X holds its rows, which are the columns of L^-T, each kSmallTriangle
// long with zeros beyond the diagonal.
struct InvertSmall {
  const double* L;
  Index stride, size;
  double* X;

  template <int kBytes>
  [[gnu::always_inline]] void run() const {
    using Real = kern::simd::Reals<kBytes>;
    constexpr Index kLanes = kern::simd::kLanes<kBytes>, kParts = kSmallTriangle / kLanes;
    for (Index i = 0; i < size; ++i) {
      Real row[kParts] = {}, x;
      for (Index k = 0; k < i; ++k) {
        const double l = L[k * stride + i];
        for (Index part = 0; part < kParts; ++part) {
          std::memcpy(&x, X + k * kSmallTriangle + part * kLanes, kBytes);
          row[part] += l * x;
        }
      }
      const double inverse = 1 / L[i * stride + i];
      for (Index part = 0; part < kParts; ++part) {
        row[part] *= -inverse;
        std::memcpy(X + i * kSmallTriangle + part * kLanes, &row[part], kBytes);
      }
      X[i * kSmallTriangle + i] = inverse;
    }
  }
};

enum class Side { left, right };

// A <- op(L)^-1 A or A op(L)^-1 by the inverse of L: OpenBLAS multiplies five times as fast as it
// solves.
void solve_small(Side side, Op as, const ConstBlock& L, Block& A) {
  alignas(64) double transposed_inverse[kSmallTriangle * kSmallTriangle];
  kern::simd::run(InvertSmall{L.data(), L.outerStride(), L.rows(), transposed_inverse});
  using Stored = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  const Stored X(transposed_inverse, L.rows(), L.rows(), Eigen::OuterStride<>(kSmallTriangle));
  thread_local Matrix copy;
  copy = A;
  const Op stored = as == Op::transposed ? Op::plain : Op::transposed;
  if (side == Side::left)
    multiply(1, X, stored, copy, Op::plain, 0, A);
  else
    multiply(1, copy, Op::plain, X, stored, 0, A);
}

// C += factor A A', or A' A, in the lower triangle.
void add_square(double factor, const ConstBlock& A, Op a, Block C) {
  const Index inner = a == Op::plain ? A.cols() : A.rows();
  const auto part = [&](Index begin, Index count) {
    return a == Op::plain ? ConstBlock(A.middleRows(begin, count))
                          : ConstBlock(A.middleCols(begin, count));
  };
  in_pieces(C.cols(), double(C.rows()) * double(inner), [&](Index begin, Index count) {
    const ConstBlock here = part(begin, count);
    Block corner = C.block(begin, begin, count, count);
    {
      const BlasCall call;
      cblas_dsyrk(CblasColMajor,
                  CblasLower,
                  transposed(a),
                  to_int(count),
                  to_int(inner),
                  factor,
                  here.data(),
                  leading(here),
                  1.0,
                  corner.data(),
                  leading(corner));
    }
    const Index end = begin + count, below = C.rows() - end;
    if (below == 0) return;
    Block rest = C.block(end, begin, below, count);
    const Op other = a == Op::plain ? Op::transposed : Op::plain;
    multiply(factor, part(end, below), a, here, other, 1, rest);
  });
}

// B = factor op(T) B, or B op(T), T a lower triangle.
void multiply_triangle(CBLAS_SIDE side, double factor, const ConstBlock& T, Op t, Block B) {
  const bool left = side == CblasLeft;
  const double each = double(T.rows()) * double(T.rows());
  in_pieces(left ? B.cols() : B.rows(), each, [&](Index begin, Index count) {
    Block part = left ? Block(B.middleCols(begin, count)) : Block(B.middleRows(begin, count));
    const BlasCall call;
    cblas_dtrmm(CblasColMajor,
                side,
                CblasLower,
                transposed(t),
                CblasNonUnit,
                to_int(part.rows()),
                to_int(part.cols()),
                factor,
                T.data(),
                leading(T),
                part.data(),
                leading(part));
  });
}

}  // namespace

bool cholesky(Block A) {
  if (A.rows() == 0) return true;
  if (A.rows() > kLargeTriangle) {  // by halves, so that it may be stopped
    check_stop();
    const Index p = A.rows() / 2, q = A.rows() - p;
    if (!cholesky(A.topLeftCorner(p, p))) return false;
    solve_right_transposed(A.topLeftCorner(p, p), A.bottomLeftCorner(q, p));
    add_outer(-1.0, A.bottomLeftCorner(q, p), A.bottomRightCorner(q, q));
    return cholesky(A.bottomRightCorner(q, q));
  }
  const int n = to_int(A.rows()), stride = leading(A);
  int info = 0;
  const BlasCall call;
  LAPACK_dpotrf(&kLower, &n, A.data(), &stride, &info);
  return info == 0;
}

// dtrtri spends most of its time in matrix-vector products and in dtrsm, which OpenBLAS runs at
// half the speed of dtrmm: by halves,
//   [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1  C^-1],
// everything but the smallest blocks is dtrmm. Twice as fast at n = 500, 1.5 times at n = 1000.
void invert_triangle(Block L) {
  if (L.rows() == 0) return;
  const int stride = leading(L);
  if (L.rows() <= kSmallTriangle) {
    constexpr char kNonUnit = 'N';
    const int n = to_int(L.rows());
    int info = 0;
    const BlasCall call;
    LAPACK_dtrtri(&kLower, &kNonUnit, &n, L.data(), &stride, &info);
    return;
  }
  const Index p = L.rows() / 2, q = L.rows() - p;
  const Block A = L.topLeftCorner(p, p), C = L.bottomRightCorner(q, q);
  const Block B = L.bottomLeftCorner(q, p);
  invert_triangle(A);
  invert_triangle(C);
  multiply_triangle(CblasRight, -1, A, Op::plain, B);
  multiply_triangle(CblasLeft, 1, C, Op::plain, B);
}

void multiply_transpose(Block L) {
  if (L.rows() == 0) return;
  if (L.rows() > kLargeTriangle) {  // [A 0; B C]: A'A + B'B, C'B, C'C
    check_stop();
    const Index p = L.rows() / 2, q = L.rows() - p;
    multiply_transpose(L.topLeftCorner(p, p));
    add_inner(1.0, L.bottomLeftCorner(q, p), L.topLeftCorner(p, p));
    multiply_left_transposed(L.bottomRightCorner(q, q), L.bottomLeftCorner(q, p));
    multiply_transpose(L.bottomRightCorner(q, q));
    return;
  }
  const int n = to_int(L.rows()), stride = leading(L);
  int info = 0;
  const BlasCall call;
  LAPACK_dlauum(&kLower, &n, L.data(), &stride, &info);
}

void solve(const ConstBlock& L, Vector& x) {
  const BlasCall call;
  cblas_dtrsv(CblasColMajor,
              CblasLower,
              CblasNoTrans,
              CblasNonUnit,
              to_int(L.rows()),
              L.data(),
              leading(L),
              x.data(),
              1);
}

void solve_transposed(const ConstBlock& L, Vector& x) {
  const BlasCall call;
  cblas_dtrsv(CblasColMajor,
              CblasLower,
              CblasTrans,
              CblasNonUnit,
              to_int(L.rows()),
              L.data(),
              leading(L),
              x.data(),
              1);
}

// By halves, so that most of it is dgemm: 1.1 to 1.2 times as fast as dtrsm alone.
void solve_left(const ConstBlock& L, Block A) {
  if (A.size() == 0) return;
  if (L.rows() <= kSmallTriangle) return solve_small(Side::left, Op::plain, L, A);
  const Index p = L.rows() / 2, q = L.rows() - p;
  solve_left(L.topLeftCorner(p, p), A.topRows(p));
  add_product(-1, L.bottomLeftCorner(q, p), Op::plain, A.topRows(p), Op::plain, A.bottomRows(q));
  solve_left(L.bottomRightCorner(q, q), A.bottomRows(q));
}

// The others by halves for the same reason. With L = [P 0; B Q], A L^-T = (A1 P^-T, (A2 - X1 B^T)
// Q^-T), and so on.
void solve_left_transposed(const ConstBlock& L, Block A) {
  if (A.size() == 0) return;
  if (L.rows() <= kSmallTriangle) return solve_small(Side::left, Op::transposed, L, A);
  const Index p = L.rows() / 2, q = L.rows() - p;
  solve_left_transposed(L.bottomRightCorner(q, q), A.bottomRows(q));
  add_product(
      -1, L.bottomLeftCorner(q, p), Op::transposed, A.bottomRows(q), Op::plain, A.topRows(p));
  solve_left_transposed(L.topLeftCorner(p, p), A.topRows(p));
}

void solve_right(const ConstBlock& L, Block A) {
  if (A.size() == 0) return;
  if (L.rows() <= kSmallTriangle) return solve_small(Side::right, Op::plain, L, A);
  const Index p = L.rows() / 2, q = L.rows() - p;
  solve_right(L.bottomRightCorner(q, q), A.rightCols(q));
  add_product(-1, A.rightCols(q), Op::plain, L.bottomLeftCorner(q, p), Op::plain, A.leftCols(p));
  solve_right(L.topLeftCorner(p, p), A.leftCols(p));
}

void solve_right_transposed(const ConstBlock& L, Block A) {
  if (A.size() == 0) return;
  if (L.rows() <= kSmallTriangle) return solve_small(Side::right, Op::transposed, L, A);
  const Index p = L.rows() / 2, q = L.rows() - p;
  solve_right_transposed(L.topLeftCorner(p, p), A.leftCols(p));
  add_product(
      -1, A.leftCols(p), Op::plain, L.bottomLeftCorner(q, p), Op::transposed, A.rightCols(q));
  solve_right_transposed(L.bottomRightCorner(q, q), A.rightCols(q));
}

void multiply_left_transposed(const ConstBlock& L, const Block& A) {
  if (A.size() > 0) multiply_triangle(CblasLeft, 1, L, Op::transposed, A);
}

void add_outer(double factor, const ConstBlock& A, const Block& C) {
  if (A.size() > 0) add_square(factor, A, Op::plain, C);
}

void add_inner(double factor, const ConstBlock& A, const Block& C) {
  if (A.size() > 0) add_square(factor, A, Op::transposed, C);
}

void add_product(double factor, const ConstBlock& A, Op a, const ConstBlock& B, Op b, Block C) {
  if (A.size() == 0 || B.size() == 0) return;
  multiply(factor, A, a, B, b, 1, C);
}

void set_product(double factor, const ConstBlock& A, Op a, const ConstBlock& B, Op b, Block C) {
  if (A.size() == 0 || B.size() == 0) {
    C.setZero();
    return;
  }
  multiply(factor, A, a, B, b, 0, C);
}

void mirror(Block A) {
  for (Index j = 1; j < A.cols(); ++j) A.col(j).head(j) = A.row(j).head(j).transpose();
}

void multiply_symmetric(const ConstBlock& A, const Vector& x, Vector& y) {
  y.resize(x.size());
  const BlasCall call;
  cblas_dsymv(CblasColMajor,
              CblasLower,
              to_int(A.rows()),
              1.0,
              A.data(),
              leading(A),
              x.data(),
              1,
              0.0,
              y.data(),
              1);
}

Vector eigen_symmetric(Block A) {
  Vector values(A.rows());
  if (A.rows() == 0) return values;
  constexpr char kVectors = 'V';
  const int n = to_int(A.rows()), stride = leading(A), size = std::max(1, n * 34);
  Vector work(size);
  int info = 0;
  const BlasCall call;
  LAPACK_dsyev(&kVectors, &kLower, &n, A.data(), &stride, values.data(), work.data(), &size, &info);
  if (info != 0) throw NumericalError("the eigenvalues of a symmetric matrix did not converge");
  return values;
}

Vector least_squares(Block A, const Vector& b, double tolerance) {
  const int rows = to_int(A.rows()), columns = to_int(A.cols()), one = 1, stride = leading(A);
  const int longer = std::max({1, rows, columns}),
            size = 4 * (columns + 1) + std::min(rows, columns);
  Vector x = Vector::Zero(longer), work(size);
  x.head(rows) = b;
  std::vector<int> pivots(at(columns), 0);
  int rank = 0, info = 0;
  const BlasCall call;
  LAPACK_dgelsy(&rows,
                &columns,
                &one,
                A.data(),
                &stride,
                x.data(),
                &longer,
                pivots.data(),
                &tolerance,
                &rank,
                work.data(),
                &size,
                &info);
  return x.head(columns);
}

void wake_threads() {
  static std::atomic<int> awake{1};
  const int threads = openblas_get_num_threads();
  if (threads <= awake) return;
  awake = threads;
  constexpr int n = 512;
  const Matrix A = Matrix::Identity(n, n);
  Matrix B = Matrix::Zero(n, n);
  const BlasCall call;
  cblas_dgemm(CblasColMajor,
              CblasNoTrans,
              CblasNoTrans,
              n,
              n,
              n,
              1.0,
              A.data(),
              n,
              A.data(),
              n,
              0.0,
              B.data(),
              n);
}

}  // namespace ggpm::internal::lapack
