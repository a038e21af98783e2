// Runs side by side, watched by the thread that asked for them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "ggpm/learning.hpp"
#include "parallel/stop.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {

// What a stage will take, as far as one can tell before: so many runs, evaluations of a run, and units of work of each.
// Of units only ratios matter.
struct StageWork {
  double runs = 1, of_a_run = 0, each = 1;
  double evaluations() const { return runs * of_a_run; }
};

// Carries progress from the runs to the caller's callbacks, and the wish to stop back.
class Monitor {
 public:
  explicit Monitor(const FitOptions& options);

  // Of all stages to come, in order; any may be left out. For FitProgress::left.
  void expect(std::vector<StageWork> stages);
  void begin_stage(std::string_view name, int runs, std::size_t place);
  void begin_last_stage(std::string_view name);
  void begin_other_stage(std::string_view name);  // that was not expected
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

  // One piece of work with all of the threads. False: it was stopped.
  bool run_one(int threads, const std::function<void()>& body);

  // body(i) for i = 0 ... count-1 by `workers`, each with its share of the threads; the caller's
  // thread only watches. The first exception of a body stops the others and is thrown here; StopRun
  // just ends its run.
  void run(int count, int workers, int threads, const std::function<void(int)>& body);

 private:
  void call_back(bool final);
  double pace() const;
  double seconds_left() const;  // < 0: no idea

  const FitOptions& options_;
  std::chrono::steady_clock::time_point began_;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  FitProgress progress_;
  bool changed_ = false;
  std::string stage_name_;
  std::vector<StageWork> expected_;
  std::size_t stage_ = 0;  // of these
  int stage_evaluations_ = 0;
  double stage_began_ = 0, called_ = 0;  // seconds
  double pace_ = -1;                     // of the stage before: seconds a unit of work
  std::atomic<int> evaluations_{0};
};

}  // namespace ggpm::internal
