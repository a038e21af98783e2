/* What ggpm asks of MPI, as a table of C functions in a shared object of its own: the library, the
 * command and wheels are built without MPI and load this only under an MPI launcher, so that one
 * build of ggpm serves every MPI. Calls come from one thread at a time. */
#ifndef GGPM_MPI_H
#define GGPM_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GGPM_MPI_INTERFACE 1

struct ggpm_mpi {
  int interface_number; /* GGPM_MPI_INTERFACE of the one who made it */
  const char* library;  /* "Open MPI v4.1.4" */
  int rank, size;       /* in the job */
  int local_size;       /* ranks on this machine */
  const char* host;     /* its name */

  /* Begins to send; the bytes stay where they are until finish_sends. */
  void (*send)(const void* bytes, size_t count, int to);
  /* 0: came as expected; otherwise a message of another length came. */
  int (*receive)(void* bytes, size_t count, int from);
  void (*finish_sends)(void);
  /* Doubles; part r is [offsets[r], offsets[r] + counts[r]) of `all`, where rank r has written it. */
  void (*gather_all)(double* all, const int* counts, const int* offsets);
  void (*broadcast)(void* bytes, size_t count, int from);
  /* 1 if every rank asks for this within so many seconds. At most once. */
  int (*all_arrive)(double seconds);
  void (*abort)(int code); /* ends all ranks */
  void (*finalize)(void);
};

/* Joins the job; null if MPI does not start. Called once. */
const struct ggpm_mpi* ggpm_mpi_join(void);

#ifdef __cplusplus
}
#endif

#endif
