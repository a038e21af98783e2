// Time, and what there is of it.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "ggpm/types.hpp"

namespace ggpm::internal {

class Stopwatch {
 public:
  // 0: no limit. UsageError for what is no time.
  explicit Stopwatch(double budget = 0) : budget_(budget) {
    if (!(budget >= 0))
      throw UsageError(
          fmt::format("seconds = {}; a limit of time is above 0, and 0 is none", budget));
  }
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
