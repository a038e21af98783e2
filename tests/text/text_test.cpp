#include "text/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ggpm::internal::text {
namespace {

TEST(ShellWord, IsOneWordAgain) {
  EXPECT_EQ(shell_word("counts.csv"), "counts.csv");
  EXPECT_EQ(shell_word("rbf + linear"), "'rbf + linear'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(rm)"), "'$(rm)'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(NumberHint, KnowsNumbersThatAreWrittenInAnotherWay) {
  const std::string point = "write the decimal mark as a point",
                    separators = "remove the thousands separators",
                    hexadecimal = "hexadecimal numbers are not read",
                    plain = "write it with 0-9, a point and a plain minus";
  const std::vector<std::pair<std::string, std::string>> cells = {
      {"1,5", point},
      {" -,5 ", point},
      {"+1,5e3", point},
      {"1,234", point},
      {"1,234,567", separators},
      {"12,34,567", separators},
      {"1,234.5", separators},
      {"1.234,5", separators},
      {"1.234.567", separators},
      {"1'000", separators},
      {"-12 345 678", separators},
      {"1_000", separators},
      {"1\u202F000", separators},
      {"1\u00A0000,5", separators},
      {"0x1F", hexadecimal},
      {"-0X1p3", hexadecimal},
      {"١٢", plain},
      {"१२.५", plain},
      {"１２", plain},
      {"𝟏𝟐", plain},
      {"\u22125", plain},
      {"3.5\u00A0", plain},
      {"١٢٫٥", point},
  };
  for (const auto& [cell, hint] : cells) EXPECT_EQ(number_hint(cell), hint) << cell;
}

TEST(NumberHint, LeavesNamesDatesAndRangesAlone) {
  for (const char* cell :
       {"A1",         "1a",       "10-20", "10 - 20", "10+",    "<5",       "2020-01-02",
        "01.02.2020", "2020.1.2", "12:30", "1.2.3",   "1,2,3",  "1 2",      "1/2",
        "5%",         "$3",       "3 kg",  "x",       "",       "-",        ",",
        "0x",         "0xyz",     "e",     "e,E",     "'",      "1,2a",     "1e",
        "--1",        "٢٠٢٠-٠١",  "一二",  "Ⅻ",       "1,,000", "1.000,,5", "\xFF"})
    EXPECT_EQ(number_hint(cell), "") << cell;
}

TEST(NumberHint, IsEmptyForNumbers) {
  for (const char* cell : {"1", "-1.5", "+2", "1e-3", ".5", "1.234", "inf"})
    EXPECT_EQ(number_hint(cell), "") << cell;
}

TEST(IsRounded, KnowsWholeNumbersThatNoDoubleIs) {
  const auto rounded = [](const std::string& cell) {
    return is_rounded(cell, parse_number(cell).value());
  };
  for (const char* cell : {"9007199254740993",
                           "-9007199254740993",
                           "+0009007199254740993",
                           "9007199254740993.000",
                           " 123456789012345678 "})
    EXPECT_TRUE(rounded(cell)) << cell;
  for (const char* cell : {"9007199254740992",
                           "9007199254740994",
                           "000000000000000000001",
                           "100000000000000000000",
                           "0.1234567890123456789",
                           "9007199254740993.5",
                           "9.007199254740993e15",
                           "1e400",
                           "123456789012345"})
    EXPECT_FALSE(rounded(cell)) << cell;
}

TEST(WithDigits, IsForAPerson) {
  for (const auto& [value, digits, text] :
       std::vector<std::tuple<double, int, const char*>>{{57.3, 1, "60"},
                                                         {0.3456, 1, "0.3"},
                                                         {123.4, 2, "120"},
                                                         {1.96, 2, "2"},
                                                         {8.7, 2, "8.7"},
                                                         {0.0996, 2, "0.1"},
                                                         {-34567, 2, "-35000"},
                                                         {9.96, 2, "10"},
                                                         {0, 2, "0"}})
    EXPECT_EQ(with_digits(value, digits), text);
}

TEST(Harmless, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(harmless("x\x1b[31mred"), "x\\u001b[31mred");
  EXPECT_EQ(harmless("a\nb\tc\x7f"), "a\\u000ab\\u0009c\\u007f");
  EXPECT_EQ(harmless("a\nb\x1b", "\n"), "a\nb\\u001b");
  EXPECT_EQ(harmless("\u009b31m"), "\\u009b31m");             // one byte more, and as good as ESC [
  EXPECT_EQ(harmless("a\u202Eb\u2066"), "a\\u202eb\\u2066");  // from right to left
  EXPECT_EQ(harmless("M\xFCnchen"), "M\\xfcnchen");
  EXPECT_EQ(harmless("Größe … ± 数"), "Größe … ± 数");
  EXPECT_EQ(harmless("0123456789", "", 4), "0123…");
}

}  // namespace
}  // namespace ggpm::internal::text
