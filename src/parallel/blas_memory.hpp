// The memory of OpenBLAS, asked for before OpenBLAS does.
//
// Every call that runs at a time takes a buffer of 128 MB of address space, as does each of the
// threads that OpenBLAS starts. When the system refuses one (ulimit -v, a strict overcommit),
// OpenBLAS asks again, for ever: the process hangs, and no signal that is merely noted ends it.
#pragma once

#include <cstddef>

#include "ggpm/memory.hpp"

namespace ggpm::internal {

// Whether the system would give OpenBLAS that many more buffers now.
bool blas_buffers_fit(std::size_t count);

// Exists while BLAS is called. OutOfMemory where there is no buffer for the call.
class BlasCall {
 public:
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;
};

// The number of threads, `wanted` or as many as are there already, for which there are buffers.
int affordable_blas_threads(int wanted);

}  // namespace ggpm::internal
