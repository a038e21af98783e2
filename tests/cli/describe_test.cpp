#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace ggpm {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::run_command;

TEST(Command, SaysItsVersionAndHelp) {
  EXPECT_THAT(run_command({"--version"}).out, StartsWith("ggpm "));
  const auto help = run_command({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("describe"));
}

TEST(Command, EndsWithTwoForWrongUse) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {"nonsense"}, {"describe"}, {"describe", "--nonsense", "x"}}) {
    const auto result = run_command(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.error, StartsWith("ggpm: "));
  }
}

TEST(Command, EndsWithThreeWhenOutputCannotBeWritten) {
  const auto result = run_command({"describe", "-"}, "a,y\n1,2\n", "/dev/full");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.error, "ggpm: standard output: cannot be written: No space left on device\n");
}

TEST(Describe, TellsTheColumnsAndTheDomainOfTheTarget) {
  const auto result =
      run_command({"describe", "-", "--target", "y"}, "x,s,y\n1.5,a,2\nNA,b,0\n3,a,7\n");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out,
            "standard input: 3 rows, 3 columns\n"
            "column  kind    missing  values\n"
            "x       number        1  1.5 … 3\n"
            "s       text          0  2 different\n"
            "y       number        0  0 … 7\n"
            "target y: 3 rows, all whole numbers 0…7 → count\n");
  EXPECT_EQ(result.error, "");
}

TEST(Describe, NotesRowsWithoutATarget) {
  const auto result = run_command({"describe", "-", "--target", "y"}, "x,y\n1,2\n2,NA\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.error, HasSubstr("column 'y': rows without a value are left out: 1"));
}

TEST(Describe, EndsWithThreeForBadData) {
  const auto result = run_command({"describe", "-", "--target", "y"}, "x,y\n1\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.error, StartsWith("ggpm: standard input: row 1 has 1 cell"));
  EXPECT_EQ(run_command({"describe", "/nowhere/x.csv"}).exit_code, 3);
  EXPECT_EQ(run_command({"describe", "-", "--target", "z"}, "x,y\n1,2\n").exit_code, 3);
}

}  // namespace
}  // namespace ggpm
