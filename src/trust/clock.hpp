// Time, and what there is of it.
#pragma once

#include <chrono>
#include <limits>

namespace ggpm::internal {

class Stopwatch {
 public:
  explicit Stopwatch(double budget = 0) : budget_(budget) {}  // 0: no limit
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double left() const {
    return budget_ > 0 ? budget_ - seconds() : std::numeric_limits<double>::infinity();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double budget_;
};

}  // namespace ggpm::internal
