// What scripts/reproduction and a reader take from a run.
#include "experiments/reproduction_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ggpm::paper {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Reproduction example(const char* name, double seconds) {
  Reproduction out{.name = name, .title = "Table 5: starts"};
  out.cells = {{"Table 5", "a", "MAE", 1, 0.1, 1.1, 0.2, 0.2},
               {"Table 5", "b", "MAE", 1, 0.1, 1.5, 0.2, 0.2}};
  out.setting = "10 splits, 2 threads, seed 1";
  out.seconds = seconds;
  out.processor_seconds = 2 * seconds;
  return out;
}

TEST(ReproductionText, TellsOutcomeOptionsAndTime) {
  const std::string text = as_markdown(example("starts", 12));
  EXPECT_THAT(text,
              HasSubstr("## `starts`\n\nTable 5: starts. **1 of 2 figures agree (50 %).** Run with "
                        "10 splits, 2 threads, seed 1: 12 s, 24 s of processor time.\n\n"));
  EXPECT_THAT(text, HasSubstr("| Table 5 | b | MAE | 1 ± 0.1 | 1.5 ± 0.2 | +0.5 | **no** |"));
}

TEST(ReproductionText, AddsUpTheTime) {
  const auto rows = summary({example("a", 12), example("b", 30)});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(
      rows[1],
      ElementsAre("a", "1 of 2 figures agree (50 %)", "10 splits, 2 threads, seed 1", "12", "24"));
  EXPECT_THAT(rows[3], ElementsAre("together", "", "", "42", "84"));
}

TEST(ReproduceOptions, DefaultsAreTheExperiments) {
  const ReproduceOptions none, given{.splits = 3, .restarts = 0};
  EXPECT_EQ(none.splits_or(10), 10);
  EXPECT_EQ(none.restarts_or(50), 50);
  EXPECT_EQ(given.splits_or(10), 3);
  EXPECT_EQ(given.restarts_or(50), 0);
}

}  // namespace
}  // namespace ggpm::paper
