// What a reader takes from a run, what is kept of it, and how time ends it.
#include "experiments/reproduction_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "experiments/overview.hpp"
#include "support/files.hpp"

namespace ggpm::paper {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::TemporaryFolder;

Reproduction example(const char* name, double seconds) {
  Reproduction out{.name = name, .title = "Table 5: starts"};
  out.cells = {{"Table 5", "a", "MAE", 1, 0.1, 1.1, 0.2, 0.2},
               {"Table 5", "b", "MAE", 1, 0.1, 1.5, 0.2, 0.2}};
  out.claims = {{"it is faster", true, "by 3"}};
  out.setting = "10 splits, seed 1";
  out.processor_seconds = seconds;
  return out;
}

TEST(ReproductionText, TellsOutcomeOptionsAndTime) {
  const std::string text = as_markdown(example("starts", 90));
  EXPECT_THAT(text, HasSubstr("# `starts`\n\nTable 5: starts. "));
  EXPECT_THAT(
      text,
      HasSubstr("**1 of 2 (50 %) within two sd of its trials, or the tolerance; 1 of 1 "
                "claims hold.** Run with 10 splits, seed 1: 1.5 minutes of processor time."));
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
  Cell rounded = judged(1.5, "");
  rounded.unit = 1.2;
  EXPECT_NEAR(rounded.standard_errors(), 0.5 / std::sqrt(0.025 + 0.12), 1e-12);
  Cell once = judged(1.5, "");  // scatters as the paper's trials do
  once.trials = 1;
  EXPECT_NEAR(once.standard_errors(), 0.5 / std::sqrt(0.009 + 0.09), 1e-12);
}

// Within two sd of ten trials is much easier than within two standard errors of their means.
TEST(ReproductionText, CountsSignsAndBothRules) {
  const std::vector<Cell> cells = {judged(1.5, "x"), judged(1.2, "x"), judged(0.9, "y")};
  const Balance x = balance_of(cells, "x");
  EXPECT_EQ(x.expected, 2);
  EXPECT_EQ(x.agree, 2);
  EXPECT_EQ(x.near, 1);
  EXPECT_EQ(x.larger, 2);
  EXPECT_EQ(balance_of(cells, "y").smaller, 1);
  EXPECT_EQ(balance_of(cells, "x", "Table 8").judged, 0);
  EXPECT_THAT(share_table(cells)[1],
              ElementsAre("Table 7", "x", "10", "1 of 2 (50 %)", "2 of 2 (100 %)", "2", "0"));
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

TEST(Overview, AddsUpClaimsAndMinutes) {
  const auto rows = overview_table({outcome_of(example("a", 60)), outcome_of(example("b", 30))});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[1], ElementsAre("a", "Table 5", "", "2 / 0", "", "1 of 1", "1.0"));
  EXPECT_THAT(rows[3], ElementsAre("together", "", "", "", "", "2 of 2", "1.5"));
}

TEST(Overview, IsMadeOfOutcomesThatWereKept) {
  Reproduction result = example("a", 60);
  result.cells = {judged(1.5, "x"), judged(1.2, "x"), judged(0.9, "y")};
  Outcome kept = outcome_of(result);
  kept.earlier = true;
  EXPECT_EQ(to_json(read_outcome(to_json(kept))), to_json(kept));
  EXPECT_EQ(kept.first().judged, 2);
  EXPECT_THROW(read_outcome("{}"), DataError);
  const std::string page = overview_page({kept});
  for (const char* part :
       {"| [`a`](reproduction/a.md) (earlier run) | Table 5 | 1 of 2 (50 %) | 2 / 0 |",
        "| Table 7 (a) | y | 10 | 1 of 1 (100 %) |",
        "- `a`: 10 splits, seed 1; taken over from a run of earlier code",
        "reproduction/a\n```"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(Kept, IsThereAgainWithoutALineThatWasCutOff) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.kept");
  {
    Kept kept(path);
    EXPECT_FALSE(kept.find("one"));
    kept.add("one", {.values = {1.5, std::nan("")}, .text = "why"});
    EXPECT_EQ(kept.spent_before(), 0);
  }
  std::ofstream(path, std::ios::app) << R"({"key":"two","val)";
  Kept again(path);
  const auto one = again.find("one");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->values[0], 1.5);
  EXPECT_TRUE(std::isnan(one->values[1]));
  EXPECT_EQ(one->text, "why");
  EXPECT_FALSE(again.find("two"));
  again.add("two", {.values = {2}});
  EXPECT_TRUE(Kept(path).find("two"));
  std::ofstream(folder.file("b.kept")) << "hello\n";
  EXPECT_THROW(Kept(folder.file("b.kept")), DataError);
}

TEST(Kept, TrialsAreTheSameAgain) {
  Trial trial{.candidate = "a", .split = 3};
  trial.scores.mae = 1;
  trial.scores.of[2].mae = 4;
  trial.log_marginal = -7;
  const Trial again = trial_of(piece_of(trial), "a", 3);
  EXPECT_EQ(again.scores.mae, 1);
  EXPECT_EQ(again.scores.of[2].mae, 4);
  EXPECT_EQ(again.log_marginal, -7);
  EXPECT_FALSE(again.failed());
}

// Nothing new is begun when the time is up, but what was kept is used.
TEST(Kept, IsUsedWhenTheTimeIsUp) {
  ReproduceOptions options;
  int runs = 0;
  const auto compute = [&] {
    ++runs;
    return std::vector<double>{3};
  };
  EXPECT_EQ(kept_or(options, "a", compute)->at(0), 3);
  options.time_is_up = [] { return true; };
  EXPECT_EQ(kept_or(options, "a", compute)->at(0), 3);
  EXPECT_FALSE(kept_or(options, "b", compute));
  EXPECT_EQ(runs, 1);
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
