/* What ggpm asks of ScaLAPACK, as a table of C functions in a shared object of its own, beside that of
 * ggpm_mpi.h and for the same MPI. Ranks form a grid; a matrix is dealt out to it in square blocks,
 * round and round in both directions, and a rank holds its part as one matrix, column after column:
 * `part` is its first number, `stride` the distance of its columns. */
#ifndef GGPM_SCALAPACK_H
#define GGPM_SCALAPACK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GGPM_SCALAPACK_INTERFACE 1

struct ggpm_scalapack {
  int interface_number;
  int rows, columns; /* of the grid */
  int row, column;   /* of this rank in it */
  int block;         /* rows and columns of a block */

  /* (n, n), lower half: A = L L^T in place. Other than 0: it is not positive definite. */
  int (*factor)(int n, double* part, int stride);
  /* L becomes the lower half of A^-1. */
  int (*invert)(int n, double* part, int stride);
  /* B (n, m) <- L^-1 B, or L^-T B. */
  void (*solve)(int transposed, int n, int m, const double* L, int stride, double* B, int B_stride);
  /* C (m, m) = B^T B, lower half; B (n, m). */
  void (*inner)(int n, int m, const double* B, int B_stride, double* C, int C_stride);
  /* Over all ranks, in place, with the same bits on each. */
  void (*sum)(double* numbers, size_t count);
};

/* After MPI has started; null if ranks make no grid. Called once, by all of them. */
const struct ggpm_scalapack* ggpm_scalapack_join(void);

#ifdef __cplusplus
}
#endif

#endif
