// Memory that BLAS takes besides that of matrices.
#pragma once

#include <new>

namespace ggpm {

// There is not enough memory; says what for.
class OutOfMemory final : public std::bad_alloc {
 public:
  const char* what() const noexcept override;
};

// Whether the system would give BLAS the buffers of its threads. Where it would not, a program does
// well to begin again with OPENBLAS_NUM_THREADS=1: the threads ask for them for ever.
bool blas_threads_fit();

}  // namespace ggpm
