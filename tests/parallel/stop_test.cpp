#include "parallel/stop.hpp"

#include <gtest/gtest.h>

#include "parallel/pool.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
namespace {

TEST(Stop, IsHeardByTheThreadsThatDoTheWork) {
  std::atomic<bool> stop{false};
  const StopSignal signal(&stop);
  for (const int workers : {1, 2, 4}) {
    stop = false;
    std::atomic<int> done{0};
    const auto body = [&](Index) {
      if (++done == 5) stop = true;
    };
    EXPECT_THROW(run_tasks(10'000, workers, body), StopRun) << workers;
    EXPECT_LT(done, 5 + workers) << workers;
  }
}

TEST(Stop, IsHeardBetweenBlocksOfOneThread) {
  std::atomic<bool> stop{false};
  const StopSignal signal(&stop);
  Index seen = 0;
  EXPECT_THROW(for_blocks(1000,
                          10,
                          1,
                          [&](Index begin, Index end) {
                            seen += end - begin;
                            stop = true;
                          }),
               StopRun);
  EXPECT_EQ(seen, 10);
}

TEST(Stop, ConcernsNobodyElse) {
  const std::atomic<bool> stop{true};
  {
    const StopSignal signal(&stop);
    EXPECT_THROW(check_stop(), StopRun);
    const StopSignal deaf(nullptr);
    check_stop();
  }
  check_stop();
  int done = 0;
  run_tasks(3, 1, [&](Index) { ++done; });
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace ggpm::internal
