// Ctrl-C: the first asks the work to stop where it can be used, the second ends the process.
#pragma once

namespace ggpm::cli {

class InterruptGuard {
 public:
  InterruptGuard();   // SIGINT and SIGTERM are noted instead of ending the process
  ~InterruptGuard();  // as before
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool interrupted();

}  // namespace ggpm::cli
