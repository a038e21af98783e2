// Explicit algebra of small matrices for slow twins. Compiled once: in each test that takes an inverse,
// its templates would cost 5 to 15 seconds of compiling.
#pragma once

#include <gtest/gtest.h>

#include "ggpm/types.hpp"

namespace ggpm::testing_support {

Matrix inverse_of(const Matrix& A);
double determinant_of(const Matrix& A);
Vector pivots_of(const Matrix& A);                // of LU with row exchanges: |product| = |det A|
Vector eigenvalues_of(const Matrix& A);           // of a symmetric A, ascending
Matrix cholesky_of(const Matrix& A);              // lower L, A = L L^T
Matrix solved(const Matrix& A, const Matrix& B);  // A^-1 B for a symmetric A

testing::AssertionResult are_close(const Matrix& actual, const Matrix& expected, double tolerance);

}  // namespace ggpm::testing_support
