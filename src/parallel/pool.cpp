#include "parallel/pool.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "parallel/ranks.hpp"
#include "parallel/stop.hpp"

namespace ggpm::internal {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

// 0 ... count-1, handed out until they are gone, one fails or `stop` is set.
class Tasks {
 public:
  Tasks(Index count, std::atomic<bool>& stop, const std::function<void(Index)>& body)
      : count_(count), stop_(stop), body_(body) {}

  void work() {
    for (Index i = next_++; i < count_ && !stop_; i = next_++) {
      try {
        body_(i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        stop_ = true;
      }
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const Index count_;
  std::atomic<bool>& stop_;
  const std::function<void(Index)>& body_;
  std::atomic<Index> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

// As many of `count` threads as the machine grants. They heed whom the calling one does.
std::vector<std::thread> start(int count, const std::function<void()>& work) {
  std::vector<std::thread> threads;
  const auto heeding = [stop = StopSignal::current(), work] {
    const StopSignal signal(stop);
    work();
  };
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back(heeding);
  } catch (const std::system_error&) {
  }
  return threads;
}

}  // namespace

void run_tasks(Index count, int workers, const std::function<void(Index)>& body) {
  std::atomic<bool> stop{false};
  const std::function<void(Index)> unless_stopped = [&body](Index i) {
    check_stop();
    body(i);
  };
  Tasks tasks(count, stop, unless_stopped);
  const auto helpers = static_cast<int>(std::min<Index>(workers, count)) - 1;
  std::vector<std::thread> threads = start(helpers, [&] { tasks.work(); });
  {
    const InStep same_or_alone(helpers > 0 ? nullptr : ranks_in_step());
    tasks.work();
  }
  for (std::thread& thread : threads) thread.join();
  tasks.rethrow();
}

void run_watched(Index count,
                 int workers,
                 std::atomic<bool>& stop,
                 const std::function<void(Index)>& body,
                 const std::function<void(bool)>& watch) {
  Tasks tasks(count, stop, body);
  std::mutex mutex;
  std::condition_variable news;
  std::size_t finished = 0;
  const auto helpers = static_cast<int>(std::min<Index>(workers, count));
  Ranks* const ranks = helpers == 1 ? ranks_in_step() : nullptr;
  std::vector<std::thread> threads = start(helpers, [&] {
    const InStep same_or_alone(ranks);
    tasks.work();
    const std::lock_guard lock(mutex);
    ++finished;
    news.notify_one();
  });
  if (threads.empty()) tasks.work();
  std::exception_ptr failure;
  for (bool done = false; !done;) {
    {
      std::unique_lock lock(mutex);
      done = news.wait_for(lock, kBetweenLooks, [&] { return finished == threads.size(); });
    }
    if (failure) continue;
    try {
      watch(done);
    } catch (...) {
      failure = std::current_exception();
      stop = true;
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  tasks.rethrow();
}

}  // namespace ggpm::internal
