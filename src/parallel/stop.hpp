// The wish that work ends, heard deep inside of it: between the blocks of a large matrix, between the
// leaves of a tree, between rows.
#pragma once

#include <atomic>

namespace ggpm::internal {

// Thrown inside of work that is to end. Not an Error: nothing that mends errors may catch it.
struct StopRun {};

// While it lives, this thread, and those that it has work in its place, look at `stop`.
class StopSignal {
 public:
  explicit StopSignal(const std::atomic<bool>* stop);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static const std::atomic<bool>* current();  // nullptr: nobody may stop this thread

 private:
  const std::atomic<bool>* outer_;
};

// Throws StopRun where the wish is there.
void check_stop();

}  // namespace ggpm::internal
