#include "gram/lapack.hpp"

#include <cblas.h>
#include <lapack.h>

#include <algorithm>
#include <limits>
#include <mutex>

namespace ggpm::lapack {
namespace {

constexpr char kLower = 'L';

int to_int(Index size) {
  if (size > std::numeric_limits<int>::max())
    throw UsageError("a matrix of " + std::to_string(size) + " rows is beyond the reach of BLAS");
  return static_cast<int>(size);
}

// LAPACK wants a leading dimension of at least 1, also for an empty block.
int leading(const ConstBlock& A) { return std::max(1, to_int(A.outerStride())); }

}  // namespace

bool cholesky(Block A) {
  if (A.rows() == 0) return true;
  const int n = to_int(A.rows()), stride = leading(A);
  int info = 0;
  LAPACK_dpotrf(&kLower, &n, A.data(), &stride, &info);
  return info == 0;
}

void invert_triangle(Block L) {
  if (L.rows() == 0) return;
  constexpr char kNonUnit = 'N';
  const int n = to_int(L.rows()), stride = leading(L);
  int info = 0;
  LAPACK_dtrtri(&kLower, &kNonUnit, &n, L.data(), &stride, &info);
}

void multiply_transpose(Block L) {
  if (L.rows() == 0) return;
  const int n = to_int(L.rows()), stride = leading(L);
  int info = 0;
  LAPACK_dlauum(&kLower, &n, L.data(), &stride, &info);
}

void solve(const ConstBlock& L, Vector& x) {
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

void solve_left(const ConstBlock& L, Block A) {
  if (A.size() == 0) return;
  cblas_dtrsm(CblasColMajor,
              CblasLeft,
              CblasLower,
              CblasNoTrans,
              CblasNonUnit,
              to_int(A.rows()),
              to_int(A.cols()),
              1.0,
              L.data(),
              leading(L),
              A.data(),
              leading(A));
}

void solve_right_transposed(const ConstBlock& L, Block A) {
  if (A.size() == 0) return;
  cblas_dtrsm(CblasColMajor,
              CblasRight,
              CblasLower,
              CblasTrans,
              CblasNonUnit,
              to_int(A.rows()),
              to_int(A.cols()),
              1.0,
              L.data(),
              leading(L),
              A.data(),
              leading(A));
}

void multiply_left_transposed(const ConstBlock& L, Block A) {
  if (A.size() == 0) return;
  cblas_dtrmm(CblasColMajor,
              CblasLeft,
              CblasLower,
              CblasTrans,
              CblasNonUnit,
              to_int(A.rows()),
              to_int(A.cols()),
              1.0,
              L.data(),
              leading(L),
              A.data(),
              leading(A));
}

void add_outer(double factor, const ConstBlock& A, Block C) {
  if (A.size() == 0) return;
  cblas_dsyrk(CblasColMajor,
              CblasLower,
              CblasNoTrans,
              to_int(C.rows()),
              to_int(A.cols()),
              factor,
              A.data(),
              leading(A),
              1.0,
              C.data(),
              leading(C));
}

void add_inner(double factor, const ConstBlock& A, Block C) {
  if (A.size() == 0) return;
  cblas_dsyrk(CblasColMajor,
              CblasLower,
              CblasTrans,
              to_int(C.rows()),
              to_int(A.rows()),
              factor,
              A.data(),
              leading(A),
              1.0,
              C.data(),
              leading(C));
}

void multiply_symmetric(const ConstBlock& A, const Vector& x, Vector& y) {
  y.resize(x.size());
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

void wake_threads() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr int n = 512;
    const Matrix A = Matrix::Identity(n, n);
    Matrix B = Matrix::Zero(n, n);
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
  });
}

}  // namespace ggpm::lapack
