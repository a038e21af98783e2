// The few BLAS and LAPACK routines of the dense engine, on blocks of column-major matrices.
// All triangles are lower.
#pragma once

#include "ggpm/types.hpp"

namespace ggpm::internal::lapack {

// Views: through a constant one the matrix is written all the same.
using Block = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;
using ConstBlock = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

// A = L L^T in place. False if a pivot is not positive; says nothing about NaN.
bool cholesky(Block A);
// L^-1 in place.
void invert_triangle(Block L);
// L^T L in place: after invert_triangle the lower half of the inverse of L L^T.
void multiply_transpose(Block L);

// x <- L^-1 x,  x <- L^-T x.
void solve(const ConstBlock& L, Vector& x);
void solve_transposed(const ConstBlock& L, Vector& x);
// A <- L^-1 A,  A <- L^-T A,  A <- A L^-1,  A <- A L^-T,  A <- L^T A.
void solve_left(const ConstBlock& L, Block A);
void solve_left_transposed(const ConstBlock& L, Block A);
void solve_right(const ConstBlock& L, Block A);
void solve_right_transposed(const ConstBlock& L, Block A);
void multiply_left_transposed(const ConstBlock& L, const Block& A);

// C <- C + factor A A^T,  C <- C + factor A^T A, lower half.
void add_outer(double factor, const ConstBlock& A, const Block& C);
void add_inner(double factor, const ConstBlock& A, const Block& C);

// C <- C + factor op(A) op(B), all of it.
enum class Op { plain, transposed };
void add_product(double factor, const ConstBlock& A, Op a, const ConstBlock& B, Op b, Block C);
// C <- A B^T and the like, where C need not be cleared before.
void set_product(double factor, const ConstBlock& A, Op a, const ConstBlock& B, Op b, Block C);
// The upper half becomes the mirror image of the lower.
void mirror(Block A);

// y <- A x for symmetric A, lower half read.
void multiply_symmetric(const ConstBlock& A, const Vector& x, Vector& y);

// Symmetric A (lower half read) becomes its eigenvectors, one a column; eigenvalues ascend.
Vector eigen_symmetric(Block A);

// The shortest x of those that minimize |A x - b|, by QR with pivots. Directions of A that its
// leading ones hold to a relative `tolerance` count as none. A is used up.
Vector least_squares(Block A, const Vector& b, double tolerance);

// Lets the BLAS threads take their buffers before the first large matrix, so that short memory
// arrives as std::bad_alloc and not as a hang inside OpenBLAS.
void wake_threads();

}  // namespace ggpm::internal::lapack
