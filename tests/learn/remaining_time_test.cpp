// The estimate of the time that is left, from the work of stages and the pace of those that ran.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "learn/parallel.hpp"

namespace ggpm::internal {
namespace {

struct Watched {
  FitOptions options;
  double left = 0;

  Watched() {
    options.on_progress = [this](const FitProgress& now) { left = now.left; };
  }
};

void evaluate(Monitor& monitor, int evaluations) {
  monitor.run(1, 1, 1, [&](int) {
    for (int k = 0; k < evaluations; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      monitor.evaluated(0);
    }
  });
}

TEST(RemainingTime, IsThatOfStagesToComeAtThePaceOfTheLast) {
  Watched watched;
  Monitor monitor(watched.options);
  monitor.expect({{.runs = 3, .of_a_run = 10},
                  {.runs = 100, .of_a_run = 100, .each = 100},  // is left out
                  {.runs = 1, .of_a_run = 10, .each = 10},
                  {.of_a_run = 1, .each = 10}});
  monitor.begin_stage("first", 2, 0);
  evaluate(monitor, 20);
  monitor.begin_stage("third", 2, 2);
  evaluate(monitor, 0);
  const double from_third = watched.left;
  EXPECT_GT(from_third, (2 * 10 + 1) * 10 * 0.005);
  monitor.begin_last_stage("last");
  evaluate(monitor, 0);
  EXPECT_NEAR(from_third / watched.left, 2 * 10 + 1, 1e-9);
  monitor.begin_other_stage("another");
  evaluate(monitor, 0);
  EXPECT_LT(watched.left, 0);
}

TEST(RemainingTime, IsUnknownBeforeTheFirstEvaluation) {
  Watched watched;
  Monitor monitor(watched.options);
  monitor.expect({{.of_a_run = 10}, {.of_a_run = 10}});
  monitor.begin_stage("first", 1, 0);
  evaluate(monitor, 0);
  EXPECT_LT(watched.left, 0);
}

}  // namespace
}  // namespace ggpm::internal
