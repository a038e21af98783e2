// Runs side by side, watched by the thread that asked for them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <mutex>

#include "ggpm/learning.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {

// Thrown inside of a run when the fit has been interrupted.
struct StopRun {};

// Carries progress from the runs to the caller's callbacks, and the wish to stop back.
class Monitor {
 public:
  explicit Monitor(const FitOptions& options);

  void begin_stage(std::string_view name, int runs);
  // Called by runs. The first two throw StopRun when the fit should end.
  void check() const {
    if (stop_.load(std::memory_order_relaxed)) throw StopRun{};
  }
  void evaluated(double log_marginal);
  void finished_run();
  void count(int evaluations) { evaluations_ += evaluations; }  // outside of runs

  bool stopped() const { return stop_; }
  int evaluations() const { return evaluations_; }
  double seconds() const;

  // body(i) for i = 0 ... count-1 by `workers`, each with its share of the threads; the caller's
  // thread only watches. The first exception of a body stops the others and is thrown here; StopRun
  // just ends its run.
  void run(int count, int workers, int threads, const std::function<void(int)>& body);

 private:
  void call_back(bool final);

  const FitOptions& options_;
  std::chrono::steady_clock::time_point began_;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  FitProgress progress_;
  bool changed_ = false;
  std::atomic<int> evaluations_{0};
};

}  // namespace ggpm::internal
