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
  EXPECT_THAT(text, HasSubstr("| Table 5 | b | MAE | 1 ± 0.1 | 1.5 ± 0.2 | +0.5 |  | **no** |"));
}

Cell judged(double ours, const char* column) {
  return {.table = "Table 7",
          .row = "a",
          .quantity = "NLP",
          .paper = 1,
          .paper_sd = 0.3,
          .ours = ours,
          .ours_sd = 0.4,
          .tolerance = 0.6,
          .column = column,
          .paper_trials = 10,
          .trials = 10};
}

TEST(ReproductionText, DifferencesAreInStandardErrorsOfTheDifferenceOfMeans) {
  EXPECT_NEAR(judged(1.5, "").standard_errors(), 0.5 / std::sqrt(0.025), 1e-12);
  EXPECT_TRUE(std::isnan(Cell{.paper = 1, .ours = 2}.standard_errors()));
}

// Within two sd of ten trials is much easier than within two standard errors of their means.
TEST(ReproductionText, CountsSignsAndBothRules) {
  const std::vector<Cell> cells = {judged(1.5, "x"), judged(1.2, "x"), judged(0.9, "y")};
  const Balance x = balance_of(cells, "x");
  EXPECT_EQ(x.expected, 2);
  EXPECT_EQ(x.agree, 2);
  EXPECT_EQ(x.near, 1);
  EXPECT_EQ(x.worse, 2);
  EXPECT_EQ(balance_of(cells, "y").better, 1);
  EXPECT_THAT(balance_lines(cells), testing::SizeIs(2));
}

TEST(ReproductionText, ColumnsStandSideBySide) {
  const auto rows = cell_table({judged(1.5, "x"), judged(0.9, "y")});
  EXPECT_THAT(
      rows,
      ElementsAre(
          ElementsAre("where", "row", "quantity", "paper", "x", "y"),
          ElementsAre(
              "Table 7", "a", "NLP", "1 ± 0.3", "1.5 ± 0.4 (+3.2) *", "0.9 ± 0.4 (-0.6) *")));
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
