#include "learn/parallel.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace ggpm {
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
  news_.notify_one();
}

void Monitor::finished_run() {
  const std::lock_guard lock(mutex_);
  ++progress_.restart;
  changed_ = true;
  news_.notify_one();
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
  std::atomic<int> next{0};
  std::atomic<bool> abandon{false};
  int finished = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (int i = next++; i < count && !abandon && !stop_; i = next++) {
      try {
        body(i);
      } catch (const StopRun&) {
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure) failure = std::current_exception();
        abandon = true;
      }
      finished_run();
    }
    const std::lock_guard lock(mutex_);
    ++finished;
    news_.notify_one();
  };
  std::vector<std::thread> pool = start_threads(workers, work);
  const int started = std::max<int>(1, static_cast<int>(pool.size()));
  std::exception_ptr thrown_by_callback;
  for (bool done = false; !done;) {
    {
      std::unique_lock lock(mutex_);
      news_.wait_for(lock, std::chrono::milliseconds(50), [&] { return finished == started; });
      done = finished == started;
    }
    if (thrown_by_callback) continue;
    try {
      call_back(done);
    } catch (...) {
      thrown_by_callback = std::current_exception();
      stop_ = true;
    }
  }
  for (std::thread& thread : pool) thread.join();
  if (thrown_by_callback) std::rethrow_exception(thrown_by_callback);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ggpm
