#include "learn/parallel.hpp"

#include <algorithm>

#include "parallel/pool.hpp"

namespace ggpm::internal {

Monitor::Monitor(const FitOptions& options)
    : options_(options), began_(std::chrono::steady_clock::now()) {}

double Monitor::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void Monitor::begin_stage(std::string_view name, int runs) {
  const std::lock_guard lock(mutex_);
  progress_.stage = name;
  progress_.restart = 0;
  progress_.restarts = runs;
  progress_.log_marginal = -std::numeric_limits<double>::infinity();
  changed_ = true;
}

void Monitor::evaluated(double log_marginal) {
  check();
  const std::lock_guard lock(mutex_);
  progress_.evaluation = ++evaluations_;
  progress_.log_marginal = std::max(progress_.log_marginal, log_marginal);
  changed_ = true;
}

void Monitor::finished_run() {
  const std::lock_guard lock(mutex_);
  ++progress_.restart;
  changed_ = true;
}

void Monitor::call_back(bool final) {
  if (options_.interrupted && !stop_ && options_.interrupted()) stop_ = true;
  if (!options_.on_progress) return;
  FitProgress now;
  {
    const std::lock_guard lock(mutex_);
    if (!changed_ && !final) return;
    changed_ = false;
    now = progress_;
  }
  now.seconds = seconds();
  options_.on_progress(now);
}

void Monitor::run(int count, int workers, int threads, const std::function<void(int)>& body) {
  call_back(false);  // an interruption that came before this stage
  if (count == 0 || stop_) return;
  const BlasThreads blas(std::max(1, threads / workers));
  const auto run_one = [&](Index i) {
    try {
      body(static_cast<int>(i));
    } catch (const StopRun&) {
    }
    finished_run();
  };
  run_watched(count, workers, stop_, run_one, [&](bool last) { call_back(last); });
}

}  // namespace ggpm::internal
