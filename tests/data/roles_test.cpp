#include "ggpm/roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ggpm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <class Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TrainingTable read(const char* text, TableOptions options, std::optional<Domain> domain = {}) {
  options.roles.target = "y";
  return read_training(parse_csv(text, "t.csv"), options, domain);
}

TEST(ReadTraining, RecognizesTheDomainAndSaysWhy) {
  const TrainingTable counts = read("x,y\n1,3\n2,0\n3,5\n", {});
  EXPECT_EQ(counts.domain, Domain::count);
  EXPECT_THAT(counts.reason, HasSubstr("count"));
  EXPECT_EQ(counts.data.observed.y, (Vector{{3.0, 0.0, 5.0}}));
  EXPECT_EQ(counts.data.X.cols(), 1);
  EXPECT_THAT(read("x,y\n1,3\n2,0\n", {}, Domain::real).reason, IsEmpty());
}

TEST(ReadTraining, TwoWordsAreClassesInTheirOrder) {
  const TrainingTable table = read("x,y\n1,yes\n2,no\n", {});
  EXPECT_EQ(table.domain, Domain::binary);
  EXPECT_THAT(table.roles.levels, ElementsAre("no", "yes"));
  EXPECT_EQ(table.data.observed.y, (Vector{{1.0, 0.0}}));
  EXPECT_THAT(complaint([] { read("x,y\n1,a\n2,b\n3,c\n", {}); }),
              HasSubstr("t.csv: column 'y': text with 3 different values"));
}

// The second of two had no rows, and a cut point of its own.
TEST(ReadTraining, RefusesALevelThatIsNamedTwice) {
  const TableOptions twice{.roles = {.target = "y", .levels = {"low", "low", "high"}}};
  EXPECT_THROW(read_training(parse_csv("x,y\n1,low\n2,high\n", "t.csv"), twice, Domain::ordinal),
               UsageError);
}

TEST(ReadTraining, SignsAreClasses) {
  const TrainingTable table = read("x,y\n1,-1\n2,1\n3,-1\n", {});
  EXPECT_THAT(table.roles.levels, ElementsAre("-1", "1"));
  EXPECT_EQ(table.data.observed.y, (Vector{{0.0, 1.0, 0.0}}));
  EXPECT_THAT(read("x,y\n1,-1\n2,1\n", {}, Domain::real).roles.levels, IsEmpty());
}

TEST(ReadTraining, FractionsOfTrialsBecomeSuccesses) {
  TableOptions options;
  options.roles.trials = "N";
  const TrainingTable table = read("x,N,y\n1,4,0.25\n2,8,1\n", options);
  EXPECT_EQ(table.domain, Domain::fraction_of_trials);
  EXPECT_TRUE(table.roles.fractions);
  EXPECT_EQ(table.data.observed.y, (Vector{{1.0, 8.0}}));
  EXPECT_EQ(table.data.X.cols(), 1) << "trials are not an input";
  const TrainingTable counts = read("x,N,y\n1,4,0\n2,8,1\n", options);
  EXPECT_FALSE(counts.roles.fractions);
  EXPECT_THAT(counts.notes, testing::Contains(HasSubstr("numbers of successes")));
  EXPECT_EQ(complaint([&] { read("x,N,y\n1,4,0.3\n2,8,1\n", options); }),
            "t.csv: row 1, column 'y': 0.3 of 4 trials is not a whole number of successes");
  EXPECT_EQ(complaint([&] { read("x,N,y\n1,4,9\n", options); }),
            "t.csv: row 1, column 'y': 9 successes are more than the 4 trials");
  EXPECT_EQ(complaint([&] { read("x,N,y\n1,2.5,1\n", options); }),
            "t.csv: row 1, column 'N': 2.5 is not a number of trials; they are 1, 2, 3, ...");
}

TEST(ReadTraining, NegativeNumbersAreNoFractions) {
  Observations o{.y = Vector{{-0.5, 0.5}}, .trials = Vector{{4.0, 4.0}}};
  ColumnRoles roles;
  understand(o, roles, Domain::fraction_of_trials, false);
  EXPECT_FALSE(roles.fractions);
}

// The last level was asked for where there are none.
TEST(ReadTraining, OrdinalOutputsBelowZeroHaveNoLevelsToNote) {
  Observations o{.y = Vector{{-3.0, -2.0}}};
  ColumnRoles roles;
  EXPECT_THAT(understand(o, roles, Domain::ordinal, false).notes, IsEmpty());
}

TEST(ReadTraining, BinomialNeedsTrials) {
  try {
    read("x,y\n1,3\n", {}, Domain::fraction_of_trials);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.remedy(), Remedy::trials);
  }
}

TEST(ReadTraining, SqueezesAndKeepsByHowMuch) {
  TableOptions options;
  options.squeeze = true;
  const TrainingTable table = read("x,y\n1,0\n2,1\n3,0.5\n4,0.5\n", options);
  EXPECT_EQ(table.domain, Domain::proportion);
  EXPECT_EQ(table.roles.squeeze, 4);
  EXPECT_EQ(table.data.observed.y, (Vector{{0.125, 0.875, 0.5, 0.5}}));
  EXPECT_THAT(complaint([&] { read("x,y\n1,0\n2,1.5\n", options); }),
              HasSubstr("t.csv: row 2, column 'y': 1.5 cannot be squeezed"));
}

TEST(ReadTraining, RowsThatAreLeftOutKeepTheNumbersOfTheOthers) {
  TableOptions options;
  options.roles.exposure = "e";
  options.missing = MissingPolicy::drop;
  EXPECT_EQ(complaint([&] { read("x,e,y\n,1,1\n2,0,3\n", options, Domain::count); }),
            "t.csv: row 2, column 'e': 0 is not an exposure; they are above 0");
  options.missing = MissingPolicy::error;
  try {
    read("x,e,y\n,1,1\n2,1,3\n", options, Domain::count);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.remedy(), Remedy::drop_missing);
    EXPECT_EQ(error.place().row, 1);
    EXPECT_EQ(error.place().column, "x");
    EXPECT_THAT(error.what(), Not(HasSubstr("--")));
  }
}

TEST(Interpret, RefusesWhatOutputsOfTheDomainDoNotHave) {
  Observations exposed{.y = Vector{{1.0}}, .exposure = Vector{{2.0}}};
  EXPECT_THROW(interpret(exposed, {}, Domain::real), UsageError);
  Observations tried{.y = Vector{{1.0}}, .trials = Vector{{2.0}}};
  EXPECT_THROW(interpret(tried, {}, Domain::count), UsageError);
}

TEST(Interpret, LeavesOutputsThatAreNotKnown) {
  Observations o{.y = Vector{{std::nan(""), 0.5}}, .trials = Vector{{4.0, 4.0}}};
  interpret(o, {.fractions = true}, Domain::fraction_of_trials);
  EXPECT_TRUE(std::isnan(o.y[0]));
  EXPECT_EQ(o.y[1], 2);
}

TEST(Located, FindsTheRowAndColumnOfAnArgument) {
  const Table table = parse_csv("n,x\n1,1\n2,2\n3,3\n", "t.csv");
  const std::vector<Index> kept = {0, 2};
  const DataError error = located(DataError({.row = 2, .argument = "y"}, "3; no", Remedy::squeeze),
                                  table.select_rows(kept),
                                  {.target = "n"});
  EXPECT_STREQ(error.what(), "t.csv: row 3, column 'n': 3; no");
  EXPECT_EQ(error.remedy(), Remedy::squeeze);
}

TEST(ReadTraining, TakesAnEmptyUpperEndForNoInterval) {
  const Table table = parse_csv("x,t,c,u,w\n1,2,0,,1\n2,3,1,,2\n3,4,0,5,0\n4,6,0,9,3\n", "t.csv");
  const TrainingTable read = read_training(
      table, {.roles = {.target = "t", .weight = "w", .censored = "c", .upper = "u"}});
  ASSERT_EQ(read.data.size(), 3);            // a row of weight 0 is left out
  EXPECT_EQ(read.domain, Domain::positive);  // whole numbers that are censored are no counts
  EXPECT_FALSE(read.data.observed.at(0).is_censored());
  EXPECT_EQ(read.data.observed.at(1).censored, 1);
  EXPECT_EQ(read.data.observed.at(2).upper, 9);
  EXPECT_EQ(read.data.observed.at(2).weight, 3);
  EXPECT_EQ(read.data.X.cols(), 1);
}

TEST(ReadTraining, SaysThatTheLastLevelOccursInNoRow) {
  const auto notes_of = [](const std::string& cells) {
    return read_training(parse_csv("x,y\n" + cells, "t.csv"),
                         {.roles = {.target = "y", .levels = {"low", "mid", "high"}}},
                         Domain::ordinal)
        .notes;
  };
  EXPECT_THAT(notes_of("1,low\n2,mid\n3,low\n"),
              testing::Contains(HasSubstr("no row has 'high', the last level")));
  EXPECT_THAT(notes_of("1,low\n2,high\n3,low\n"), IsEmpty());
}

TEST(ReadTraining, TakesAnInfiniteUpperEndForCensoredOnTheRight) {
  const TrainingTable read =
      read_training(parse_csv("x,t,u\n1,2,inf\n2,3,\n3,4,5\n4,6,Inf\n", "t.csv"),
                    {.roles = {.target = "t", .upper = "u"}});
  const TrainingTable said =
      read_training(parse_csv("x,t,u,c\n1,2,,1\n2,3,,0\n3,4,5,0\n4,6,,1\n", "t.csv"),
                    {.roles = {.target = "t", .censored = "c", .upper = "u"}});
  for (Index i = 0; i < 4; ++i) {
    const Row row = read.data.observed.at(i), other = said.data.observed.at(i);
    EXPECT_EQ(row.censored, other.censored) << i;
    EXPECT_EQ(row.is_interval(), other.is_interval()) << i;
  }
  EXPECT_THROW(read_training(parse_csv("x,t,u\n1,2,-inf\n2,3,4\n", "t.csv"),
                             {.roles = {.target = "t", .upper = "u"}}),
               DataError);
}

}  // namespace
}  // namespace ggpm
