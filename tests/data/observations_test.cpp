#include "ggpm/observations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ggpm {
namespace {

using testing::HasSubstr;

Observations some() {
  return {.y = Vector{{1.0, 2.0, 3.0}},
          .exposure = Vector{{0.5, 1.0, 2.0}},
          .offset = Vector{{0.1, 0.2, 0.3}}};
}

TEST(Observations, WhatIsEmptyIsTrivial) {
  const Row row = some().at(2);
  EXPECT_EQ(row.y, 3);
  EXPECT_EQ(row.exposure, 2);
  EXPECT_EQ(row.trials, 1);
  EXPECT_EQ(row.weight, 1);
  EXPECT_EQ(row.censored, 0);
  EXPECT_TRUE(std::isnan(row.upper));
}

TEST(Observations, OfRowsKeepsOnlyWhatIsNotTrivial) {
  const Observations o = Observations::of(std::vector<Row>{{.y = 1, .trials = 4}, {.y = 0}});
  EXPECT_EQ(o.y, (Vector{{1.0, 0.0}}));
  EXPECT_EQ(o.trials, (Vector{{4.0, 1.0}}));
  for (const Vector* trivial : {&o.exposure, &o.offset, &o.weight, &o.censored, &o.upper})
    EXPECT_EQ(trivial->size(), 0);
}

TEST(Observations, SubsetTakesEveryVectorThatIsThere) {
  Observations o = some();
  o.weight = Vector{{1.0, 2.0, 1.0}};
  o.upper = Vector{{5.0, std::nan(""), 7.0}};
  const Observations part = o.subset(std::vector<Index>{2, 0});
  EXPECT_EQ(part.size(), 2);
  EXPECT_EQ(part.y, (Vector{{3.0, 1.0}}));
  EXPECT_EQ(part.offset, (Vector{{0.3, 0.1}}));
  EXPECT_EQ(part.weight, (Vector{{1.0, 1.0}}));
  EXPECT_EQ(part.upper, (Vector{{7.0, 5.0}}));
  EXPECT_EQ(part.trials.size(), 0);
}

TEST(Observations, AppendedAreBehindEachOther) {
  Observations o = some();
  o.append(some());
  EXPECT_EQ(o.size(), 6);
  EXPECT_EQ(o.at(4).exposure, 1);
}

std::string complaint(const Observations& o, Index rows, bool y_may_miss = false) {
  try {
    o.check(rows, "fit", y_may_miss);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Observations, CheckNamesTheNumberThatIsWrong) {
  Observations o = some();
  EXPECT_EQ(complaint(o, 3), "");
  EXPECT_EQ(complaint(o, 4), "fit: y has 3 numbers for 4 rows");
  o.offset.resize(2);
  EXPECT_EQ(complaint(o, 3), "fit: offset has 2 numbers for 3 rows");
  o.offset = Vector{{0.0, INFINITY, 0.0}};
  EXPECT_EQ(complaint(o, 3), "row 2: offset = inf is not a finite number");
  o.offset.resize(0);
  o.y[1] = std::nan("");
  EXPECT_EQ(complaint(o, 3), "row 2: y = nan is not a finite number");
  EXPECT_EQ(complaint(o, 3, true), "");
}

TEST(Observations, AnIntervalMayHaveNoEnd) {
  Observations o = some();
  o.upper = Vector{{2.0, std::nan(""), 4.0}};
  EXPECT_EQ(complaint(o, 3), "");
  o.upper[0] = INFINITY;
  EXPECT_THAT(complaint(o, 3), HasSubstr("row 1: upper"));
}

TEST(Dataset, CheckNamesTheInput) {
  Dataset data{.X = Matrix::Zero(3, 2), .observed = some(), .columns = {"a", "b"}};
  data.check("fit");
  data.X(1, 1) = std::nan("");
  try {
    data.check("fit");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "row 2, column 'b': nan is not a finite number");
    EXPECT_EQ(error.place().row, 2);
    EXPECT_EQ(error.place().column, "b");
  }
}

TEST(DataError, SaysWhereInATableOrInAnArgument) {
  EXPECT_STREQ(DataError({"t.csv", 17, "n"}, "-2; no").what(), "t.csv: row 17, column 'n': -2; no");
  EXPECT_STREQ(DataError({.row = 17, .argument = "y"}, "-2; no").what(), "row 17: y = -2; no");
  EXPECT_STREQ(DataError({.source = "t.csv"}, "no rows").what(), "t.csv: no rows");
  EXPECT_STREQ(DataError("as it is").what(), "as it is");
  EXPECT_EQ(DataError("as it is", Remedy::squeeze).remedy(), Remedy::squeeze);
}

}  // namespace
}  // namespace ggpm
