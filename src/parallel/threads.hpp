// Work on many rows, in as many threads as BLAS would use.
#pragma once

#include <functional>

#include "ggpm/types.hpp"

namespace ggpm::internal {

// The number of threads that work may use here: that of the BlasThreads alive, or what BLAS would
// use by itself.
int default_threads();

// Sets the number of threads of the process, BLAS threads with them, while any such object lives;
// the last one restores it. OpenBLAS has one number for all threads: of overlapping objects the
// smallest decides.
class BlasThreads {
 public:
  explicit BlasThreads(int count);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int count_;
};

// One thread for BLAS alone where matrices are so small that more of them cost time; other work
// keeps its own.
class SmallMatrices {
 public:
  explicit SmallMatrices(Index n);
  ~SmallMatrices();
  SmallMatrices(const SmallMatrices&) = delete;
  SmallMatrices& operator=(const SmallMatrices&) = delete;

 private:
  bool small_;
};

// body(begin, end) for blocks of [0, count), in threads (0: the default); bodies write to places of
// their own.
void for_blocks(Index count,
                Index block,
                int threads,
                const std::function<void(Index, Index)>& body);

// body(begin, end) that cover [0, count). The first rows tell whether the others are worth the
// start of a thread.
void for_rows(Index count, const std::function<void(Index, Index)>& body);

// body(begin, end) for the columns of a triangle, or a square, of n rows, where a column costs so
// little that only large ones are worth a thread.
void for_columns(Index n, const std::function<void(Index, Index)>& body);

}  // namespace ggpm::internal
