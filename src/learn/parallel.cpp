#include "learn/parallel.hpp"

#include <algorithm>

#include "parallel/pool.hpp"

namespace ggpm::internal {

Monitor::Monitor(const FitOptions& options)
    : options_(options), began_(std::chrono::steady_clock::now()) {}

double Monitor::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void Monitor::expect(std::vector<StageWork> stages) {
  const std::lock_guard lock(mutex_);
  expected_ = std::move(stages);
  stage_ = expected_.size();  // none yet
}

void Monitor::begin_last_stage(std::string_view name) {
  begin_stage(name, 1, expected_.empty() ? 0 : expected_.size() - 1);
}

void Monitor::begin_other_stage(std::string_view name) { begin_stage(name, 0, expected_.size()); }

void Monitor::begin_stage(std::string_view name, int runs, std::size_t place) {
  const std::lock_guard lock(mutex_);
  stage_name_ = name;
  progress_.stage = stage_name_;
  pace_ = pace();
  stage_ = place;
  if (stage_ < expected_.size()) expected_[stage_].runs = runs;
  stage_evaluations_ = 0;
  stage_began_ = seconds();
  progress_.restart = 0;
  progress_.restarts = runs;
  progress_.log_marginal = -std::numeric_limits<double>::infinity();
  changed_ = true;
}

void Monitor::evaluated(double log_marginal) {
  check();
  const std::lock_guard lock(mutex_);
  progress_.evaluation = ++evaluations_;
  ++stage_evaluations_;
  progress_.log_marginal = std::max(progress_.log_marginal, log_marginal);
  changed_ = true;
}

void Monitor::finished_run() {
  const std::lock_guard lock(mutex_);
  ++progress_.restart;
  changed_ = true;
}

// Seconds a unit of work. One evaluation does not tell: the first of a stage may take a curvature along.
double Monitor::pace() const {
  if (stage_ >= expected_.size() || stage_evaluations_ < (pace_ > 0 ? 2 : 1)) return pace_;
  return (seconds() - stage_began_) / (stage_evaluations_ * expected_[stage_].each);
}

// A stage that lasts longer than expected ends soon.
double Monitor::seconds_left() const {
  if (stage_ >= expected_.size() || !(pace() > 0)) return -1;
  const StageWork& now = expected_[stage_];
  double work =
      std::max(now.evaluations() - stage_evaluations_, 0.1 * now.evaluations()) * now.each;
  for (std::size_t k = stage_ + 1; k < expected_.size(); ++k)
    work += expected_[k].evaluations() * expected_[k].each;
  return pace() * work;
}

void Monitor::call_back(bool final) {
  constexpr double kLongest = 2;  // seconds without a word
  if (options_.interrupted && !stop_ && options_.interrupted()) stop_ = true;
  if (!options_.on_progress) return;
  FitProgress now;
  {
    const std::lock_guard lock(mutex_);
    if (!changed_ && !final && seconds() < called_ + kLongest) return;
    changed_ = false;
    now = progress_;
    now.seconds = called_ = seconds();
    now.left = seconds_left();
  }
  options_.on_progress(now);
}

void Monitor::run(int count, int workers, int threads, const std::function<void(int)>& body) {
  call_back(false);  // an interruption that came before this stage
  if (count == 0 || stop_) return;
  const BlasThreads blas(std::max(1, threads / workers));
  const auto one = [&](Index i) {
    const StopSignal signal(&stop_);
    try {
      body(static_cast<int>(i));
    } catch (const StopRun&) {
    }
    finished_run();
  };
  run_watched(count, workers, stop_, one, [&](bool last) { call_back(last); });
}

bool Monitor::run_one(int threads, const std::function<void()>& body) {
  call_back(false);
  if (stop_) return false;
  bool done = false;
  const BlasThreads blas(threads);
  const auto one = [&](Index) {
    const StopSignal signal(&stop_);
    try {
      body();
      done = true;
    } catch (const StopRun&) {
    }
  };
  run_watched(1, 1, stop_, one, [&](bool) { call_back(false); });
  return done;
}

}  // namespace ggpm::internal
