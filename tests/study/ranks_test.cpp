#include "experiments/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/reproduction_text.hpp"

namespace ggpm::paper {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Trial trial(const std::string& candidate, Index split, double nlp, double mae) {
  Trial out{.candidate = candidate, .split = split};
  out.scores.nlp = nlp;
  out.scores.mae = mae;
  return out;
}

TEST(RankBlocks, PoolGroupsAndLeaveOutWhatFailed) {
  std::vector<Trial> trials;
  for (Index split = 0; split < 3; ++split)
    for (const char* name : {"a1", "b1", "a2", "b2"})
      trials.push_back(
          trial(name, split, name[0] == 'a' ? 1 : 2, static_cast<double>(split) + name[1]));
  trials[1].failure = "no";  // b1 in the first split
  const RankGroups groups = {{"a1", "b1"}, {"a2", "b2"}};
  const Matrix nlp = rank_blocks(trials, groups, RankedScore::nlp);
  ASSERT_EQ(nlp.rows(), 5);
  EXPECT_EQ(nlp.col(0), Vector::Ones(5));
  EXPECT_EQ(nlp.col(1), Vector::Constant(5, 2));
  EXPECT_EQ(rank_blocks(trials, groups, RankedScore::mae)(0, 0), '2');
  EXPECT_EQ(rank_blocks({}, groups, RankedScore::nlp).rows(), 0);
}

Matrix always_ordered(Index blocks) {
  Matrix out(blocks, 3);
  for (Index i = 0; i < blocks; ++i) out.row(i) << 1, 2, 3;
  return out;
}

TEST(RankTests, CompareOutcomesNotDigits) {
  Reproduction out;
  const std::vector<std::string> names = {"x", "y", "z"};
  add_test("Table 8", "same best", "NLP", {names, {1.2, 2.1, 2.7}, 0.01}, always_ordered(10), out);
  add_test("Table 8", "other best", "NLP", {names, {2.1, 1.2, 2.7}, 0.01}, always_ordered(10), out);
  add_test("Table 8", "no outcome", "NLP", {names, {1.2, 2.1, 2.7}, 0.2}, always_ordered(10), out);
  add_pair_test(
      "Table 8", "pair", "NLP", {{"z", "x"}, {1.9, 1.1}, 0.01}, always_ordered(10), 2, 0, out);
  add_test("Table 8", "nothing", "NLP", {names, {1, 2, 3}, 0.01}, Matrix(0, 3), out);
  std::vector<bool> same;
  for (const RankTest& test : out.tests) same.push_back(test.same_outcome());
  EXPECT_THAT(same, ElementsAre(true, false, false, true));
  EXPECT_THAT(out.tests[3].ours.average_ranks, ElementsAre(2, 1));
  EXPECT_THAT(agreement_line(out), HasSubstr("2 of 4 tests have the same outcome"));
}

Reproduction example() {
  Reproduction out{.name = "example", .title = "Table 0: <nothing>"};
  out.cells = {{.table = "Table 0",
                .row = "a, b",
                .quantity = "MAE",
                .paper = 1,
                .paper_sd = 0.1,
                .ours = 1.05,
                .ours_sd = 0.2,
                .tolerance = 0.2},
               {.table = "Table 0",
                .row = "c",
                .quantity = "MAE",
                .paper = 1,
                .paper_sd = 0.1,
                .ours = 2,
                .ours_sd = 0.2,
                .tolerance = 0.2}};
  out.claims = {{"all is well", false, "it is not"}};
  out.notes = {"a note"};
  return out;
}

TEST(ReproductionText, CountsAndShowsWhatAgrees) {
  const Reproduction result = example();
  EXPECT_EQ(agreement_line(result),
            "1 of 2 (50 %) within two sd of its trials, or the tolerance; 0 of 1 claims hold");
  const std::string text = as_markdown(result);
  EXPECT_THAT(text, HasSubstr("| Table 0 | c | MAE | 1 ± 0.1 | 2 ± 0.2 | +1 |  | **no** |"));
  EXPECT_THAT(text, HasSubstr("| all is well | **no** | it is not |"));
  EXPECT_THAT(cells_csv(result), HasSubstr("Table 0,\"a, b\",MAE,1,0.1,1.05,0.2,yes"));
}

TEST(ReproductionPage, HoldsClaimsFiguresAndNotesAsText) {
  const std::string page = as_page(example());
  EXPECT_THAT(page, HasSubstr("Table 0: &lt;nothing&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<nothing>")));
  for (const char* part : {"all is well", "it is not", "A note.", "1.05 ± 0.2", "<svg"})
    EXPECT_THAT(page, HasSubstr(part));
}

}  // namespace
}  // namespace ggpm::paper
