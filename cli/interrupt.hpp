// Ctrl-C: the first asks the work to stop where it can be used, the second ends the process, as does
// a time in which the work has not stopped.
#pragma once

namespace ggpm::cli {

class InterruptGuard {
 public:
  // SIGINT and SIGTERM are noted instead of ending the process; but one that is not heeded for so
  // many seconds ends it.
  explicit InterruptGuard(unsigned grace_seconds = 60);
  ~InterruptGuard();  // as before
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool interrupted();

}  // namespace ggpm::cli
