#include "parallel/pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ggpm::internal {
namespace {

using namespace std::chrono_literals;

TEST(Pool, RunsEveryTaskOnce) {
  for (const int workers : {1, 2, 5, 50})
    for (const Index count : {0, 1, 7, 40}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      run_tasks(count, workers, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& times : runs) EXPECT_EQ(times, 1) << workers << " of " << count;
    }
}

TEST(Pool, ThrowsTheFirstExceptionAndHandsOutNoMore) {
  for (const int workers : {1, 3}) {
    std::atomic<int> started{0};
    try {
      run_tasks(1000, workers, [&](Index i) {
        ++started;
        if (i == 5) throw std::runtime_error("task 5");
        std::this_thread::sleep_for(100us);
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "task 5");
    }
    EXPECT_GE(started, 6);
    EXPECT_LT(started, 1000);
  }
}

TEST(WatchedPool, TheCallerWatchesAndOthersWork) {
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> stop{false};
  std::set<std::thread::id> workers;
  std::mutex mutex;
  int looks = 0, last_looks = 0;
  run_watched(
      6,
      3,
      stop,
      [&](Index) {
        std::this_thread::sleep_for(40ms);
        const std::lock_guard lock(mutex);
        workers.insert(std::this_thread::get_id());
      },
      [&](bool last) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_EQ(last_looks, 0) << "a look behind the last";
        ++looks;
        last_looks += last ? 1 : 0;
      });
  EXPECT_EQ(last_looks, 1);
  EXPECT_GE(looks, 2);  // 80 ms of work, a look every 50
  EXPECT_FALSE(workers.contains(caller));
  EXPECT_LE(workers.size(), 3U);
  EXPECT_FALSE(stop);
}

TEST(WatchedPool, StopsWhenTheWatcherSaysSo) {
  std::atomic<bool> stop{false};
  std::atomic<int> started{0};
  run_watched(
      100000,
      2,
      stop,
      [&](Index) {
        ++started;
        std::this_thread::sleep_for(1ms);
      },
      [&](bool) { stop = true; });
  EXPECT_GT(started, 0);
  EXPECT_LT(started, 100000);
}

TEST(WatchedPool, TheWatchersExceptionStopsTheTasksAndGoesFirst) {
  std::atomic<bool> stop{false};
  std::atomic<int> looks{0};
  EXPECT_THROW(run_watched(
                   100000,
                   2,
                   stop,
                   [&](Index) {
                     std::this_thread::sleep_for(1ms);
                     if (stop) throw std::logic_error("of a task");
                   },
                   [&](bool) {
                     ++looks;
                     throw std::runtime_error("of the watcher");
                   }),
               std::runtime_error);
  EXPECT_TRUE(stop);
  EXPECT_EQ(looks, 1);
}

TEST(WatchedPool, ATasksExceptionIsSeenByTheOthers) {
  std::atomic<bool> stop{false};
  std::atomic<int> saw_it{0};
  EXPECT_THROW(run_watched(
                   2,
                   2,
                   stop,
                   [&](Index i) {
                     if (i == 0) throw std::runtime_error("task 0");
                     for (int k = 0; k < 5000 && !stop; ++k) std::this_thread::sleep_for(1ms);
                     if (stop) ++saw_it;
                   },
                   [](bool) {}),
               std::runtime_error);
  EXPECT_LE(saw_it, 1);
  EXPECT_TRUE(stop);
}

TEST(WatchedPool, WithoutTasksTheWatcherLooksOnce) {
  std::atomic<bool> stop{false};
  int looks = 0;
  run_watched(
      0,
      4,
      stop,
      [](Index) { FAIL(); },
      [&](bool last) {
        EXPECT_TRUE(last);
        ++looks;
      });
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace ggpm::internal
