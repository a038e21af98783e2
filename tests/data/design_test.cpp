#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ggpm/data.hpp"
#include "support/close.hpp"
#include "support/tables.hpp"

namespace ggpm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::table_of;

template <class Action>
std::string data_error(const Action& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Design, StandardizesNumbersAndAppliesTheSameAgain) {
  const Table table = table_of("a,y\n1,0\n3,0\n");
  const Design design = Design::learn(table, {.exclude = {"y"}});
  EXPECT_THAT(design.names(), ElementsAre("a"));
  EXPECT_EQ(design.columns()[0].center, 2);
  EXPECT_EQ(design.columns()[0].scale, 1);
  EXPECT_CLOSE(design.apply(table_of("z,a\n9,5\n9,2\n")), (Vector(2) << 3, 0).finished(), 0);
}

TEST(Design, LeavesNumbersAloneWhenAsked) {
  const Table table = table_of("a,y\n10,0\n30,0\n");
  const Design design = Design::learn(table, {.exclude = {"y"}, .standardize = false});
  EXPECT_CLOSE(design.apply(table), (Vector(2) << 10, 30).finished(), 0);
}

TEST(Design, TurnsTextIntoOneInputALevel) {
  const Table table = table_of("sex,age,y\nM,1,0\nF,2,0\nI,3,0\nM,4,0\n");
  const Design design = Design::learn(table, {.exclude = {"y"}, .standardize = false});
  EXPECT_THAT(design.names(), ElementsAre("sex=F", "sex=I", "sex=M", "sex=(new)", "age"));
  EXPECT_THAT(design.notes(),
              ElementsAre("column 'sex' is text: one input of 0 and 1 for each of F, I, M"));
  Matrix expected(4, 5);
  expected << 0, 0, 1, 0, 1, 1, 0, 0, 0, 2, 0, 1, 0, 0, 3, 0, 0, 1, 0, 4;
  EXPECT_CLOSE(design.apply(table), expected, 0);
  EXPECT_THAT(design.text_column_names(), ElementsAre("sex"));
}

TEST(Design, DoesNotDependOnTheOrderOfRowsOrColumns) {
  const Design a = Design::learn(table_of("s,x,y\nb,1,0\na,2,0\nc,3,0\n"), {.inputs = {"s", "x"}});
  const Design b = Design::learn(table_of("y,x,s\n0,3,c\n0,1,b\n0,2,a\n"), {.inputs = {"s", "x"}});
  EXPECT_EQ(a.names(), b.names());
  const Table table = table_of("x,s\n5,b\n");
  EXPECT_CLOSE(a.apply(table), b.apply(table), 1e-15);
}

TEST(Design, MatchesLevelsThatLookLikeNumbers) {
  const Table table = table_of("code,y\n7A,1\n8,2\n", {});
  const Design design = Design::learn(table, {.exclude = {"y"}});
  EXPECT_THAT(design.names(), ElementsAre("code=7A", "code=8", "code=(new)"));
  EXPECT_CLOSE(
      design.apply(table_of("code\n8\n8\n")), (Matrix(2, 3) << 0, 1, 0, 0, 1, 0).finished(), 0);
}

TEST(Design, HandlesConstantColumns) {
  const Table table = table_of("a,b,y\n0.1,1,0\n0.1,2,0\n0.1,4,0\n");
  const Design design = Design::learn(table, {.exclude = {"y"}});
  EXPECT_CLOSE(design.apply(table).col(0), Vector::Zero(3), 0);
  EXPECT_THAT(design.notes(),
              ElementsAre("column 'a' is constant (0.1): it says nothing about the target"));
}

// Hostile magnitudes: the standardized column is the same as that of 0, 1, 3.
TEST(Design, StandardizesAnyMagnitudeWithoutOverflow) {
  Vector x(4);
  x << 0, 1, 3, -2;
  const auto standardized = [](const Vector& values) {
    Table table;
    table.add_numbers("x", std::vector<double>(values.begin(), values.end()));
    return Design::learn(table, {}).apply(table);
  };
  const Matrix expected = standardized(x);
  EXPECT_CLOSE(expected.mean(), 0, 1e-15);
  EXPECT_CLOSE(expected.squaredNorm() / 4, 1, 1e-15);
  for (const double scale : {1e-300, 1e-150, 1e150, 5e307})
    EXPECT_CLOSE(standardized(x * scale), expected, 1e-14) << scale;
  EXPECT_CLOSE(standardized(x.array() + 1e15), expected, 1e-14);

  Vector ends(2);
  ends << 1e308, -1e308;
  EXPECT_CLOSE(standardized(ends), (Vector(2) << 1, -1).finished(), 1e-15);
  const double largest = std::numeric_limits<double>::max();
  ends << largest, -largest;
  EXPECT_CLOSE(standardized(ends), (Vector(2) << 1, -1).finished(), 1e-15);
  ends << 0, 5e-324;
  EXPECT_TRUE(standardized(ends).allFinite());
}

TEST(Design, KeepsADriftOnALargeOffset) {
  Vector x(100'000);
  for (Index i = 0; i < x.size(); ++i) x[i] = 1e15 + static_cast<double>(i % 2);
  Table table;
  table.add_numbers("x", std::vector<double>(x.begin(), x.end()));
  const Design design = Design::learn(table, {});
  EXPECT_EQ(design.columns()[0].center, 1e15 + 0.5);
  EXPECT_EQ(design.columns()[0].scale, 0.5);
}

TEST(Design, WorksWithOneRow) {
  const Table table = table_of("x,y\n5,1\n");
  EXPECT_CLOSE(Design::learn(table, {.exclude = {"y"}}).apply(table), Matrix::Zero(1, 1), 0);
}

TEST(DesignError, NamesMissingAndInfiniteCells) {
  EXPECT_EQ(data_error([] { Design::learn(table_of("x,y\n1,0\nNA,0\n"), {}); }),
            "t.csv: row 2, column 'x': the cell is missing; fill it in, or leave such rows out");
  EXPECT_EQ(data_error([] { Design::learn(table_of("x,y\n1,0\n1e999,0\n"), {}); }),
            "t.csv: row 2, column 'x': 1e999 is not a finite number; correct it or write NA");
  const Design design = Design::learn(table_of("x,s\n1,a\n2,b\n"), {});
  EXPECT_THAT(data_error([&] { design.apply(table_of("x,s\n1,a\n-inf,b\n")); }),
              HasSubstr("t.csv: row 2, column 'x': -inf is not a finite number"));
  EXPECT_THAT(data_error([&] { design.apply(table_of("x,s\n1,a\n2,\n")); }),
              HasSubstr("t.csv: row 2, column 's': the cell is missing"));
}

TEST(DesignError, NamesTextAmongNumbers) {
  EXPECT_EQ(data_error([] { Design::learn(table_of("x,y\n1,0\n2,0\noops,0\n"), {}); }),
            "t.csv: row 3, column 'x': 'oops' is not a number, 2 other cells of the column are; "
            "correct it or write NA");
  EXPECT_THAT(
      data_error([] { Design::learn(table_of("x;y\n1,5;0\n2;0\n3;0\n"), {}); }),
      HasSubstr("row 1, column 'x': '1,5' is not a number, 2 other cells of the column are; "
                "write the decimal mark as a point"));
  EXPECT_THAT(data_error([] { Design::learn(table_of("x\n\"1,234,567\"\n2\n3\n"), {}); }),
              HasSubstr("remove the thousands separators"));
  EXPECT_THAT(data_error([] { Design::learn(table_of("x\n0x1p3\n2\n3\n"), {}); }),
              HasSubstr("'0x1p3' is not a number, 2 other cells of the column are; hexadecimal"));
  const Design design = Design::learn(table_of("x\n1\n2\n"), {});
  EXPECT_EQ(data_error([&] { design.apply(table_of("x\n1\ntwo\n")); }),
            "t.csv: row 2, column 'x': 'two' is not a number; the model was fitted to numbers");
}

// Not one cell is a number, and yet the column is one of numbers.
TEST(DesignError, NamesNumbersThatAreWrittenInAnotherWay) {
  EXPECT_EQ(data_error([] { Design::learn(table_of("x;y\n1,5;0\n2,5;0\n3,5;0\n"), {}); }),
            "t.csv: row 1, column 'x': '1,5' is not a number; write the decimal mark as a point");
  EXPECT_THAT(data_error([] { Design::learn(table_of("x\n1'000\n2'000\n"), {}); }),
              HasSubstr("remove the thousands separators"));
  EXPECT_THAT(data_error([] { Design::learn(table_of("x\n0x1\n0x2\n"), {}); }),
              HasSubstr("'0x1' is not a number; hexadecimal numbers are not read"));
  EXPECT_THAT(data_error([] { Design::learn(table_of("x\n١٢\n١٣\n"), {}); }),
              HasSubstr("'١٢' is not a number; write it with 0-9"));
  EXPECT_THAT(data_error([] { Design::learn(table_of("x;y\nn/a;0\n1,5;0\n2,5;0\n"), {}); }),
              HasSubstr("row 1, column 'x': 'n/a' is not a number; correct it or write NA"));
}

TEST(Design, TakesWhatLooksLikeANumberAmongNamesForAName) {
  for (const char* text : {"g\nA1\nB2\n",
                           "g\n10-20\n20-30\n",
                           "g\n2020-01-02\nMonday\n",
                           "g\n5%\n10%\n",
                           "g;y\nlow;0\nhigh;0\n1,5;0\n",
                           "g\n1.2.3\n1.2.4\n"})
    EXPECT_FALSE(Design::learn(table_of(text), {}).columns()[0].levels.empty()) << text;
}

TEST(Design, NotesAnInputThatIsRounded) {
  const Design design = Design::learn(table_of("x\n1\n9007199254740993\n"), {});
  ASSERT_EQ(design.notes().size(), 1U);
  EXPECT_EQ(design.notes()[0],
            "t.csv: row 2, column 'x': 9007199254740993 has more digits than a double keeps: it is "
            "read as 9007199254740992");
}

// As far from every known level as these are from each other, and without their effects.
TEST(Design, GivesANewLevelAPlaceOfItsOwn) {
  const Design design = Design::learn(table_of("sex\nM\nF\nI\n"), {});
  NewLevels unseen;
  const Matrix X = design.apply(table_of("sex\nF\nX\nI\nM\n"), &unseen);
  for (const Index known : {0, 2, 3}) {
    EXPECT_EQ((X.row(1) - X.row(known)).squaredNorm(), (X.row(0) - X.row(2)).squaredNorm());
    EXPECT_EQ(X.row(1).dot(X.row(known)), 0);
  }
  EXPECT_EQ(X.row(1).squaredNorm(), 1);
  EXPECT_THAT(notes_of(unseen),
              ElementsAre("column 'sex': X was not there when the model was fitted: such rows are "
                          "predicted with the prior of its effect"));
}

TEST(DesignError, NamesLevelsThatAnOlderFileDoesNotKnow) {
  const Design design({{.name = "sex", .levels = {"F", "M"}}});
  EXPECT_EQ(
      data_error([&] { design.apply(table_of("sex\nF\nX\n")); }),
      "t.csv: row 2, column 'sex': the value 'X' was not there when the model was fitted; known "
      "are F, M");
}

std::string many_names(int count) {
  std::string text = "name,y\n";
  for (int i = 0; i < count; ++i) text += "person" + std::to_string(i) + ",1\n";
  return text;
}

TEST(DesignError, NamesIdentifiersTakenForInputs) {
  EXPECT_EQ(
      data_error([&] { Design::learn(table_of(many_names(150)), {}); }),
      "t.csv: column 'name': text with 150 different values in 150 rows, the first is "
      "'person0'; at most 100 become inputs unasked; leave it out, declare it to be a factor, "
      "or take a group kernel");
}

TEST(Design, TakesManyLevelsOfADeclaredFactor) {
  const Design design =
      Design::learn(table_of(many_names(150)), {.exclude = {"y"}, .factors = {"name"}});
  EXPECT_EQ(design.dimensions(), 151);
  EXPECT_THAT(data_error([&] {
                Design::learn(table_of(many_names(1001)), {.exclude = {"y"}, .factors = {"name"}});
              }),
              HasSubstr("at most 1000 become inputs; leave it out, or take a group kernel"));
}

TEST(Design, TakesNumbersOfADeclaredFactorForNames) {
  const Table table = table_of("ward,y\n3,0\n1,0\n3,0\n");
  const Design design = Design::learn(table, {.exclude = {"y"}, .factors = {"ward"}});
  EXPECT_THAT(design.names(), ElementsAre("ward=1", "ward=3", "ward=(new)"));
  EXPECT_EQ(design.apply(table)(1, 0), 1);
  EXPECT_THAT(design.notes(), ElementsAre(HasSubstr("column 'ward' is a factor: one input")));
  const Table words = table_of("ward,y\nn,0\ns,0\nn,0\n");
  EXPECT_THAT(Design::learn(words, {.exclude = {"y"}, .factors = {"ward"}}).notes(),
              ElementsAre(HasSubstr("column 'ward' is a factor: one input")));
  EXPECT_THROW(Design::learn(table, {.exclude = {"y"}, .factors = {"wart"}}), UsageError);
}

TEST(Design, MakesOneInputOfDates) {
  const Table table = table_of("day,y\n2024-02-28,0\n2024-02-29,0\n2024-03-01,0\n");
  const Design design = Design::learn(table, {.exclude = {"y"}, .standardize = false});
  EXPECT_THAT(design.names(), ElementsAre("day"));
  EXPECT_CLOSE(design.apply(table), (Vector(3) << 19781, 19782, 19783).finished(), 0);
  EXPECT_THAT(design.notes(),
              ElementsAre("column 'day' holds dates: one input, in days since 1970-01-01"));
  EXPECT_EQ(data_error([&] { design.apply(table_of("day\n2024-03-01\n2024-02-30\n")); }),
            "t.csv: row 2, column 'day': '2024-02-30' is not a date as 2024-02-29 or 2024-02-29 "
            "13:45, to which the model was fitted");
}

TEST(Design, NotesColumnsThatNumberTheRows) {
  std::string text = "id,x,y\n", alone = "t,y\n";
  for (int i = 1; i <= 20; ++i) {
    text += std::to_string(i) + "," + std::to_string(i % 7) + ",0\n";
    alone += std::to_string(i) + ",0\n";
  }
  EXPECT_THAT(Design::learn(table_of(text), {.exclude = {"y"}}).notes(),
              ElementsAre(HasSubstr("column 'id' counts the rows")));
  EXPECT_THAT(Design::learn(table_of(alone), {.exclude = {"y"}}).notes(), testing::IsEmpty());
}

TEST(DesignError, NamesUnknownAbsentAndImpossibleColumns) {
  const Table table = table_of("age,dose,y\n1,2,0\n2,3,0\n");
  EXPECT_EQ(data_error([&] { Design::learn(table, {.inputs = {"doze"}}); }),
            "t.csv: there is no column 'doze'; did you mean 'dose'? (columns: age, dose, y)");
  EXPECT_THAT(data_error([&] { Design::learn(table, {.exclude = {"z"}}); }),
              HasSubstr("there is no column 'z'"));
  EXPECT_THROW(Design::learn(table, {.inputs = {"y"}, .exclude = {"y"}}), UsageError);
  EXPECT_THROW(Design::learn(table, {.inputs = {"age", "age"}}), UsageError);
  EXPECT_EQ(data_error([] { Design::learn(table_of("y\n1\n"), {.exclude = {"y"}}); }),
            "t.csv: no column is left as an input (columns: y)");
  const Design design = Design::learn(table, {.exclude = {"y"}});
  EXPECT_EQ(data_error([&] { design.apply(table_of("age,dosis\n1,2\n")); }),
            "t.csv: there is no column 'dose' (columns: age, dosis); the model needs age, dose");
}

TEST(DesignError, NamesValuesThatLeaveTheRangeOfDouble) {
  const Design design = Design::learn(table_of("x\n1e-200\n2e-200\n"), {});
  EXPECT_THAT(data_error([&] { design.apply(table_of("x\n1e300\n")); }),
              HasSubstr("row 1, column 'x': 1e+300 is too far from the values"));
}

TEST(DesignError, RefusesWhatAFileCannotHaveStored) {
  EXPECT_THROW(Design({{.name = "x", .scale = 0}}), DataError);
  EXPECT_THROW(Design({{.name = "x", .scale = -1}}), DataError);
  EXPECT_THROW(Design({{.name = "x", .center = NAN}}), DataError);
  EXPECT_THROW(Design({{.name = "x"}, {.name = "x"}}), DataError);
  EXPECT_THROW(Design({{.name = "x", .levels = {"b", "a"}}}), DataError);
  EXPECT_THROW(Design({{.name = "x", .levels = {"a", "a"}}}), DataError);
}

TEST(CompleteRows, DropsRowsAndKeepsTheirNumbers) {
  const Table table = table_of("x,s,y\n1,a,1\nNA,b,2\n3,NA,3\n4,d,NA\n5,e,1e999\n");
  const std::vector<std::string> columns = {"x", "s"};
  const CompleteRows complete = complete_rows(table, columns, MissingPolicy::drop);
  EXPECT_EQ(complete.dropped, 2);
  EXPECT_THAT(complete.table.column("x").numbers, ElementsAre(1, 4, 5));
  EXPECT_EQ(complete.table.where(1, "y"), "t.csv: row 4, column 'y'");
  EXPECT_THAT(data_error([&] { numeric_column(complete.table, "y"); }),
              HasSubstr("row 4, column 'y'"));
  EXPECT_EQ(complete.table.column("y").cell(2), "1e999");
}

TEST(CompleteRows, NamesTheFirstMissingCell) {
  const Table table = table_of("x,s\n1,a\n2,NA\nNA,NA\n");
  const std::vector<std::string> columns = {"x", "s"};
  EXPECT_EQ(
      data_error([&] { complete_rows(table, columns, MissingPolicy::error); }),
      "t.csv: row 2, column 's': the cell is missing (2 rows in all); fill it in, or leave such "
      "rows out");
  EXPECT_THAT(
      data_error([&] { complete_rows(table_of("x,s\n,a\n1,\n"), columns, MissingPolicy::drop); }),
      HasSubstr("t.csv: every row has a missing cell, the first is row 1, column 'x'"));
}

TEST(NumericColumn, NamesWhatIsNotAFiniteNumber) {
  EXPECT_CLOSE(numeric_column(table_of("y\n3.0\n\"3\"\n"), "y"), (Vector(2) << 3, 3).finished(), 0);
  EXPECT_EQ(data_error([] { numeric_column(table_of("y\nyes\nno\n"), "y"); }),
            "t.csv: row 1, column 'y': 'yes' is not a number; code it as a number or write NA");
  EXPECT_THAT(data_error([] { numeric_column(table_of("y\n1\n2e400\n"), "y"); }),
              HasSubstr("row 2, column 'y': 2e400 is not a finite number"));
  EXPECT_THAT(data_error([] { numeric_column(table_of("y\n1\n"), "z"); }),
              HasSubstr("no column 'z'"));
}

TEST(NumericColumn, IsNotRounded) {
  EXPECT_EQ(data_error([] { numeric_column(table_of("y\n1\n9007199254740993\n"), "y"); }),
            "t.csv: row 2, column 'y': 9007199254740993 has more digits than a double keeps: it is "
            "read as 9007199254740992; round it, or count in larger units");
  EXPECT_EQ(numeric_column(table_of("y\n9007199254740992\n"), "y")[0], 9007199254740992.0);
}

TEST(Table, RefusesColumnsThatDoNotFit) {
  Table table("numpy");
  table.add_numbers("a", {1, 2});
  EXPECT_EQ(data_error([&] { table.add_numbers("b", {1}); }),
            "numpy: column 'b': 1 rows, the other columns have 2");
  EXPECT_THAT(data_error([&] { table.add_numbers("a", {1, 2}); }), HasSubstr("two columns 'a'"));
}

TEST(Design, OfAGroupIsTheNumberOfItsLevel) {
  std::string text = "site,y\n";
  for (int i = 0; i < 3000; ++i) text += "s" + std::to_string(i % 1500) + ",0\n";
  const Table table = table_of(text);
  const Design design = Design::learn(table, {.exclude = {"y"}, .groups = {"site"}});
  EXPECT_THAT(design.names(), ElementsAre("site=(levels)"));
  const Matrix X = design.apply(table);
  ASSERT_EQ(X.cols(), 1);
  EXPECT_EQ(X(3, 0), X(1503, 0));
  EXPECT_NE(X(3, 0), X(4, 0));
  // New values are new groups, the same one for the same value.
  const Matrix Z = design.apply(table_of("site\ns3\nnew\nother\nnew\n"));
  EXPECT_EQ(Z(0, 0), X(3, 0));
  EXPECT_EQ(Z(1, 0), Z(3, 0));
  EXPECT_NE(Z(1, 0), Z(2, 0));
  EXPECT_GE(Z(1, 0), 1500);
}

}  // namespace
}  // namespace ggpm
