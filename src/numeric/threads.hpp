// Work on many rows, in as many threads as BLAS would use.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm {

// The number of threads that BLAS would use by itself.
int default_threads();

// Starts up to `count` threads; a machine that refuses some gets along with fewer. If it refuses
// all, the work has been done here.
std::vector<std::thread> start_threads(int count, const std::function<void()>& work);

// body(begin, end) for blocks of [0, count), in threads (0: the default); bodies write to places of
// their own.
void for_blocks(Index count,
                Index block,
                int threads,
                const std::function<void(Index, Index)>& body);

// body(begin, end) that cover [0, count). The first rows tell whether the others are worth the
// start of a thread.
void for_rows(Index count, const std::function<void(Index, Index)>& body);

}  // namespace ggpm
