// Matrix products of tiles by BLAS: Eigen's own are compiled for baseline instructions, half as
// fast.
#pragma once

#include <cblas.h>

#include "ggpm/types.hpp"
#include "parallel/blas_memory.hpp"

namespace ggpm::internal::kern {

enum class Op { plain, transposed };

using View = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

// C <- factor op(A) op(B).
inline void multiply(
    double factor, const View& A, Op a, const View& B, Op b, Eigen::Map<Matrix> C) {
  const auto blas = [](Op as) { return as == Op::plain ? CblasNoTrans : CblasTrans; };
  const auto size = [](Index count) { return static_cast<int>(count); };
  const BlasCall call;
  // clang-format off
  cblas_dgemm(CblasColMajor, blas(a), blas(b), size(C.rows()), size(C.cols()),
              size(a == Op::plain ? A.cols() : A.rows()), factor, A.data(), size(A.outerStride()),
              B.data(), size(B.outerStride()), 0, C.data(), size(C.outerStride()));
  // clang-format on
}

}  // namespace ggpm::internal::kern
