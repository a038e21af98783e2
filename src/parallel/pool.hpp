// Tasks in threads, taken in order: the one pool under rows, runs of a fit and trials of a study.
#pragma once

#include <atomic>
#include <functional>

#include "ggpm/types.hpp"

namespace ggpm::internal {

// body(i) for i = 0 ... count-1 in `workers` threads, of which the calling one is one. The first
// exception of a body stops the handing out, and is thrown here once every thread has ended. A
// machine that refuses threads gets along with fewer. Bodies keep step with other ranks only where
// there is one thread.
void run_tasks(Index count, int workers, const std::function<void(Index)>& body);

// The same while the calling thread only watches: it calls watch(false) about 20 times a second,
// and watch(true) at the end. `stop` ends the handing out; an exception of a body or of the watcher
// sets it, and bodies may look at it. The watcher's exception goes before that of a body.
void run_watched(Index count,
                 int workers,
                 std::atomic<bool>& stop,
                 const std::function<void(Index)>& body,
                 const std::function<void(bool)>& watch);

}  // namespace ggpm::internal
