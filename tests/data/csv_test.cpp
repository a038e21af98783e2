#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "ggpm/data.hpp"
#include "support/files.hpp"
#include "support/tables.hpp"

namespace ggpm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::table_of;
using testing_support::TemporaryFolder;

// The message of the DataError that reading the text ends in.
std::string error_of(const std::string& text, const CsvOptions& options = {}) {
  try {
    table_of(text, options);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

std::string write(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.file(name), std::ios::binary) << text;
  return folder.file(name);
}

TEST(Csv, ReadsNumbersByName) {
  const Table table = table_of("a,b\n1,2.5\n-3e2,+4\n");
  EXPECT_EQ(table.rows(), 2);
  EXPECT_THAT(table.names(), ElementsAre("a", "b"));
  EXPECT_THAT(table.column("a").numbers, ElementsAre(1, -300));
  EXPECT_THAT(table.column("b").numbers, ElementsAre(2.5, 4));
}

TEST(Csv, ReadsTabsAndSemicolonsFromTheHeader) {
  EXPECT_THAT(table_of("a\tb\n1\t2\n").column("b").numbers, ElementsAre(2));
  EXPECT_THAT(table_of("a;b\n1;2\n").column("b").numbers, ElementsAre(2));
  EXPECT_THAT(table_of("\"a\tx\",b\n1,2\n").names(), ElementsAre("a\tx", "b"));
  EXPECT_THAT(table_of("a\tb,c\n1,2\n").names(), ElementsAre("a\tb", "c"));
  EXPECT_THAT(table_of("a\tb,c\n1\t2\n", {.delimiter = '\t'}).names(), ElementsAre("a", "b,c"));
  EXPECT_THAT(table_of("a\tb\n\t2\n").column("b").numbers, ElementsAre(2));
}

TEST(Csv, SkipsAByteOrderMarkAndReadsAnyLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const Table table = table_of(
        "\xEF\xBB\xBF"
        "a,b" +
        end + "1,2" + end + "3,4" + end + end);
    EXPECT_THAT(table.names(), ElementsAre("a", "b"));
    EXPECT_THAT(table.column("b").numbers, ElementsAre(2, 4));
  }
}

TEST(Csv, NeedsNoLineEndAtTheEnd) {
  EXPECT_THAT(table_of("a,b\n1,2").column("b").numbers, ElementsAre(2));
  EXPECT_THAT(table_of("a,b\n1,\"2\"").column("b").numbers, ElementsAre(2));
}

TEST(Csv, ReadsQuotedCellsWithDelimitersQuotesAndLineBreaks) {
  const Table table = table_of("name,y\n\"a, \"\"b\"\"\nc\",\" 3 \"\nplain,4\n");
  EXPECT_THAT(table.column("name").levels, ElementsAre("a, \"b\"\nc", "plain"));
  EXPECT_THAT(table.column("y").numbers, ElementsAre(3, 4));
}

TEST(Csv, TakesEmptyNaAndNanAsMissing) {
  const Table table = table_of("x,t\n,\nNA,NA\nNaN,\"\"\nnan, \n1,word\n");
  for (Index row = 0; row < 4; ++row) {
    EXPECT_TRUE(table.column("x").missing(row)) << row;
    EXPECT_TRUE(table.column("t").missing(row)) << row;
  }
  EXPECT_FALSE(table.column("x").is_text);
  EXPECT_THAT(table.column("t").levels, ElementsAre("word"));
}

TEST(Csv, ReadsEveryFormOfADecimalNumber) {
  const Table table = table_of("x\n1.5E+3\n.5\n5.\n-0\n5e-324\n1e-400\n3.0\n" +
                               std::string(400, '0') + "1\n0." + std::string(400, '0') + "1\n");
  EXPECT_THAT(table.column("x").numbers, ElementsAre(1500, .5, 5, 0, 5e-324, 0, 3, 1, 0));
}

TEST(Csv, KeepsNumbersTooLargeForADoubleAsInfiniteWithTheirSpelling) {
  for (const std::string& cell : {std::string("1e999"),
                                  std::string("inf"),
                                  std::string(400, '9'),
                                  std::string(400, '9') + "e-9",
                                  std::string("0.001e99999999999999999999")}) {
    const Table table = table_of("x\n1\n" + cell + "\n");
    EXPECT_TRUE(std::isinf(table.column("x").numbers[1])) << cell;
    EXPECT_EQ(table.column("x").cell(1), cell);
  }
  EXPECT_EQ(table_of("x\n-1e999\n").column("x").numbers[0], -INFINITY);
  EXPECT_EQ(table_of("x\n1e-99999999999999999999\n").column("x").numbers[0], 0);
}

TEST(Csv, DoesNotReadHexadecimalCommaOrOtherDigitsAsNumbers) {
  for (const std::string cell : {"0x1p3",
                                 "\"1,5\"",
                                 "\"1,234,567\"",
                                 "1_000",
                                 "١٢",
                                 "1e",
                                 "e5",
                                 "--1",
                                 "1 2",
                                 "nan(0)",
                                 "5%"})
    EXPECT_TRUE(table_of("x\n" + cell + "\n").column("x").is_text) << cell;
}

TEST(Csv, ReadsOnlyTheSelectedColumns) {
  const std::string text = "a,b,c\n1,\xFF,3\n4,\xFF,6\n";
  const Table table = table_of(text, {.columns = {"c", "a"}});
  EXPECT_THAT(table.names(), ElementsAre("a", "c"));
  EXPECT_THAT(table.column("c").numbers, ElementsAre(3, 6));
  EXPECT_THAT(error_of(text, {.columns = {"bb"}}),
              HasSubstr("t.csv: there is no column 'bb'; did you mean 'b'? (columns: a, b, c)"));
}

TEST(Csv, ReadsDeclaredTextColumnsAsText) {
  const Table table = table_of("x\n007\n7\n", {.text_columns = {"x"}});
  EXPECT_THAT(table.column("x").levels, ElementsAre("007", "7"));
}

// The first block of a million rows says "numbers"; how they were written must not be lost.
TEST(Csv, KeepsTheSpellingWhenTextComesLate) {
  std::string text = "id,y\n";
  for (int i = 0; i < 200'000; ++i) text += "00" + std::to_string(i % 7) + ",1\n";
  text += "A1,1\n";
  const std::vector<std::string> levels = table_of(text).column("id").levels;
  EXPECT_THAT(levels, ElementsAre("000", "001", "002", "003", "004", "005", "006", "A1"));

  const TemporaryFolder folder;
  const Table from_file = read_csv(write(folder, "late.csv", text));
  EXPECT_EQ(from_file.column("id").levels, levels);
  EXPECT_EQ(from_file.rows(), 200'001);
}

TEST(CsvError, NamesRaggedRows) {
  EXPECT_EQ(error_of("a,b\n1,2\n3\n"),
            "t.csv: row 2 has 1 cell, the header has 2; write NA where a value is missing");
  EXPECT_EQ(
      error_of("a,b\n1,2,3\n"),
      "t.csv: row 1 has more cells than the header, which has 2; quote cells that contain the "
      "delimiter");
}

TEST(CsvError, NamesWhatIsWrongWithTheHeader) {
  EXPECT_EQ(error_of("a,b,a\n1,2,3\n"),
            "t.csv: header: the name 'a' stands in columns 1 and 3; rename one");
  EXPECT_EQ(error_of("\"\",b\n1,2\n"),
            "t.csv: header, column 1 has no name; name it or remove the column");
  EXPECT_EQ(error_of("1,2.5\n3,4\n"),
            "t.csv: the first line has only numbers (1, 2.5); it must name the columns");
  EXPECT_THAT(error_of("a\xFF,b\n1,2\n"),
              HasSubstr("header, column 1: the name 'a\\xff' is not UTF-8"));
  EXPECT_THAT(error_of(std::string("a\0,b\n1,2\n", 9)), HasSubstr("has a NUL byte"));
}

TEST(CsvError, NamesInputsWithoutRows) {
  EXPECT_EQ(error_of(""), "t.csv: the input is empty; the first line must name the columns");
  EXPECT_EQ(error_of("\n\n"), "t.csv: the input is empty; the first line must name the columns");
  EXPECT_EQ(error_of("a,b\n"), "t.csv: there are no rows below the header");
  EXPECT_EQ(error_of("a,b"), "t.csv: there are no rows below the header");
}

TEST(CsvError, NamesQuotesOutOfPlace) {
  EXPECT_EQ(
      error_of("a,b\n1,5\" pipe\n"),
      "t.csv: row 1, column 2: a quote inside a cell; put the cell in quotes and double those "
      "within");
  EXPECT_EQ(error_of("a,b\n1,2\n3,\"4\n5,6\n"),
            "t.csv: row 2, column 2: the input ends inside quotes; close them");
}

TEST(CsvError, NamesBytesThatAreNoText) {
  EXPECT_EQ(error_of("a,b\n1,M\n2,M\xFCnchen\n"),
            "t.csv: row 2, column 'b': 'M\\xfcnchen' is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(error_of(std::string("a,b\n1,x\0y\n", 10)),
            "t.csv: row 1, column 'b': 'x\\u0000y' has a NUL byte; is this a text file?");
  EXPECT_EQ(error_of(std::string("\xFF\xFE"
                                 "a\0,\0b\0",
                                 8)),
            "t.csv: the file is UTF-16 text; save it as UTF-8");
  for (const std::string bad :
       {"\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"})
    EXPECT_THAT(error_of("a,b\n1," + bad + "\n"), HasSubstr("is not UTF-8"));
  EXPECT_FALSE(table_of("a,b\n1,\xE2\x82\xAC\xF0\x9F\x99\x82\n").column("b").levels.empty());
}

TEST(CsvError, NamesFormatsThatAreNoText) {
  const auto problem = [](std::string_view start) {
    return error_of(std::string(start) + "\x01\x02, and more\n");
  };
  EXPECT_EQ(problem("BZh"),
            "t.csv: the file is compressed by bzip2; unpack it, or pack it with gzip");
  EXPECT_EQ(problem("PK\x03\x04"),
            "t.csv: the file is an Excel workbook or another zip archive; save the sheet as CSV");
  EXPECT_EQ(problem("\xD0\xCF\x11\xE0"),
            "t.csv: the file is an Excel workbook; save the sheet as CSV");
  EXPECT_EQ(problem("PAR1"), "t.csv: the file is Parquet; write the table as CSV");
  EXPECT_EQ(problem(std::string_view("a\0,\0b\0", 6)),
            "t.csv: the file is UTF-16 text; save it as UTF-8");
  EXPECT_EQ(problem(std::string_view("\0a\0,", 4)),
            "t.csv: the file is UTF-16 text; save it as UTF-8");
}

// "a,b\n1,2\n3,4\n" and "5,6\n", each packed by gzip.
constexpr unsigned char kPacked[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0xd4, 0x49, 0xe2, 0x32, 0xd4,
    0x31, 0xe2, 0x32, 0xd6, 0x31, 0xe1, 0x02, 0x00, 0xe5, 0xe9, 0xd6, 0xce, 0x0c, 0x00, 0x00, 0x00};
constexpr unsigned char kMore[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
                                   0x02, 0x03, 0x33, 0xd5, 0x31, 0xe3, 0x02, 0x00,
                                   0x60, 0x10, 0x2f, 0xbe, 0x04, 0x00, 0x00, 0x00};

template <std::size_t N>
std::string bytes(const unsigned char (&values)[N]) {
  return std::string(values, values + N);
}

TEST(Gzip, IsUnpackedWhileItIsRead) {
  EXPECT_EQ(table_of(bytes(kPacked)).column("b").numbers, (std::vector<double>{2, 4}));
  // As cat puts files together.
  EXPECT_EQ(table_of(bytes(kPacked) + bytes(kMore)).column("b").numbers,
            (std::vector<double>{2, 4, 6}));
}

TEST(Gzip, ThatEndsEarlyOrIsDamagedIsNoTable) {
  const std::string good = bytes(kPacked);
  for (std::size_t size = 2; size < good.size(); ++size)
    EXPECT_THAT(error_of(good.substr(0, size)), HasSubstr("gzip has packed ends early")) << size;
  for (std::size_t k = 10; k < good.size(); ++k) {
    std::string bad = good;
    bad[k] = static_cast<char>(bad[k] ^ 0x55);
    EXPECT_THAT(error_of(bad), HasSubstr("gzip has packed")) << k;
  }
}

TEST(CsvError, BoundsTheLengthOfACell) {
  const std::string text = "a,b\n1,\"" + std::string(100'000'000, 'x') + "\"\n";
  EXPECT_EQ(error_of(text),
            "t.csv: row 1, column 2: the cell is longer than 1048576 bytes; is a quote left open?");
}

TEST(CsvError, BoundsTheNumberOfColumns) {
  EXPECT_EQ(error_of(std::string(1'000'000, ',')),
            "t.csv: the header has more than 100000 columns; is the delimiter right?");
}

TEST(CsvError, NamesBlankLinesOfAOneColumnTable) {
  EXPECT_EQ(error_of("y\n1\n\n3\n"),
            "t.csv: row 2 is a blank line; write NA for a missing value or remove the line");
  EXPECT_THAT(table_of("y\r\n1\r\n2\r\n\r\n").column("y").numbers, ElementsAre(1, 2));
  EXPECT_THAT(table_of("y,x\n1,2\n\n3,4\n").column("y").numbers, ElementsAre(1, 3));
}

TEST(CsvError, NamesFilesThatCannotBeRead) {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) -> std::string {
    try {
      read_csv(path);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message(folder.file("none.csv")),
              HasSubstr("none.csv: cannot be opened: No such file"));
  EXPECT_THAT(message(folder.path().string()), HasSubstr("cannot be read: Is a directory"));
}

TEST(CsvReader, YieldsTheSameRowsInBlocksOfAnySize) {
  std::string text = "x,word,y\n";
  for (int i = 0; i < 5'000; ++i)
    text += std::to_string(i) + (i % 2 == 0 ? ",even," : ",odd,") + std::to_string(i * i) + "\n";
  const TemporaryFolder folder;
  const std::string path = write(folder, "blocks.csv", text);
  for (const Index size : {1, 7, 4'096, 10'000}) {
    CsvReader reader(path);
    EXPECT_THAT(reader.names(), ElementsAre("x", "word", "y"));
    const std::vector<std::string> columns = {"y", "word"};
    reader.select(columns);
    Index next = 0;
    while (const auto block = reader.next(size)) {
      ASSERT_LE(block->rows(), size);
      ASSERT_EQ(block->row_number(0), next + 1);
      EXPECT_THAT(block->names(), ElementsAre("word", "y"));
      for (Index row = 0; row < block->rows(); ++row, ++next) {
        ASSERT_EQ(block->column("y").numbers[static_cast<std::size_t>(row)],
                  static_cast<double>(next * next));
        ASSERT_EQ(block->column("word").cell(row), next % 2 == 0 ? "even" : "odd");
      }
    }
    EXPECT_EQ(next, 5'000) << size;
  }
}

// In a child, since the largest size a process ever had does not go down again.
TEST(SlowCsvReader, ReadsAMillionRowsInTheMemoryOfAFewBlocks) {
  std::string text = "x,word,y\n";
  for (int i = 0; i < 1'000'000; ++i)
    text += std::to_string(i * 0.37) + ",level" + std::to_string(i % 50) + ",7\n";
  const TemporaryFolder folder;
  const std::string path = write(folder, "long.csv", text);
  const auto kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const pid_t child = fork();
  if (child == 0) {
    text = std::string();
    const long before = kilobytes();
    CsvReader reader(path);
    Index rows = 0;
    while (const auto block = reader.next(4'096)) rows += block->rows();
    _exit(rows == 1'000'000 && kilobytes() - before < 8'000 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(CsvReader, NamesTheRowOfAnErrorInALaterBlock) {
  std::string text = "x,y\n";
  for (int i = 0; i < 30'000; ++i) text += "1,2\n";
  const TemporaryFolder folder;
  CsvReader reader(write(folder, "late.csv", text + "3\n"));
  try {
    while (reader.next(1'000)) continue;
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 30001 has 1 cell"));
  }
}

TEST(Csv, RemembersAWholeNumberThatNoDoubleIs) {
  const Table table = table_of("x,y\n1,3\n9007199254740993,9007199254740992\n9007199254740995,1\n");
  EXPECT_EQ(table.column("x").first_rounded, 1);
  EXPECT_EQ(table.column("x").first_rounded_cell, "9007199254740993");
  EXPECT_EQ(table.column("y").first_rounded, -1);
  const std::vector<Index> kept = {0, 1};
  EXPECT_EQ(table.select_rows(kept).column("x").first_rounded, 1);
  EXPECT_EQ(table.select_rows({kept.data(), 1}).column("x").first_rounded, -1);
}

TEST(CsvWriter, KeepsFormulasFromSpreadsheetsWhenAsked) {
  const std::vector<std::string> cells = {
      "=1+1", "@x", "+b", "-b", "-1.5", "+2", "a=b", "=\"x\",y"};
  std::string out;
  append_csv_row(out, cells);
  EXPECT_EQ(out, "=1+1,@x,+b,-b,-1.5,+2,a=b,\"=\"\"x\"\",y\"\n");
  out.clear();
  append_csv_row(out, cells, CsvText::for_spreadsheets);
  EXPECT_EQ(out, "'=1+1,'@x,'+b,'-b,-1.5,+2,a=b,\"'=\"\"x\"\",y\"\n");
}

TEST(CsvWriter, QuotesOnlyWhatNeedsIt) {
  std::string out;
  append_csv_row(out, std::vector<std::string>{"a", "b c", "d,e", "say \"hi\"", "", " f", "g\nh"});
  EXPECT_EQ(out, "a,b c,\"d,e\",\"say \"\"hi\"\"\",\"\",\" f\",\"g\nh\"\n");
  out.clear();
  append_csv_row(out, std::vector<double>{0.1, -0.0, 1e300, NAN, 3});
  EXPECT_EQ(out, "0.1,-0,1e+300,NA,3\n");
}

// The first name stands where a reader looks for the mark or the magic of a file.
TEST(CsvWriter, ANameThatBeginsLikeAFileReadsBackTheSame) {
  for (const std::string name : {"\xEF\xBB\xBFx",
                                 "\xEF\xBB\xBF",
                                 "BZh",
                                 "PAR1",
                                 "PK\x03\x04z",
                                 "ARROW1",
                                 "SQLite format 3"}) {
    Table table("t");
    table.add_numbers(name, std::vector<double>{1, 2});
    table.add_numbers("y", std::vector<double>{3, 4});
    EXPECT_EQ(table_of(to_csv(table)).names(), table.names()) << name;
  }
  // A second mark in a file, where it is part of the name.
  const Table twice = table_of("\t\xEF\xBB\xBFx,y\n1,2\n");
  EXPECT_EQ(table_of(to_csv(twice)).names(), twice.names());
}

// Pieces that mean something to the parser, in any order: a table or a sentence, nothing else, and
// the same in one go as in blocks.
TEST(CsvProperty, AnyBytesAreReadOrRefused) {
  const std::vector<std::string> pieces = {
      "a",    "b",    "1",   "2.5",          "-",   ",",   ",",    "\n",    "\n",
      "\r",   "\r\n", "\"",  "\"\"",         ";",   "\t",  " NA",  "1e999", "\xFF",
      "\xC3", "\xBC", "nan", "\xEF\xBB\xBF", "0x1", "inf", "1,2\n"};
  const TemporaryFolder folder;
  int read = 0;
  for (unsigned seed = 0; seed < 3'000; ++seed) {
    std::mt19937_64 random(seed);
    std::string text = seed % 4 == 0 ? "" : "x,y\n1,2\n";
    for (auto count = random() % (seed % 4 == 1 ? 4 : 30); count > 0; --count)
      text += pieces[random() % pieces.size()];
    text += std::string(seed % 7 == 0 ? 1 : 0, '\0');
    try {
      const Table whole = table_of(text);
      ++read;
      CsvReader reader(write(folder, "t.csv", text));
      Index rows = 0;
      while (const auto block = reader.next(2)) rows += block->rows();
      ASSERT_EQ(rows, whole.rows()) << "seed " << seed;
    } catch (const DataError& error) {
      ASSERT_THAT(error.what(), HasSubstr("t.csv: ")) << "seed " << seed;
    }
  }
  EXPECT_GT(read, 100);
}

// Random bits for numbers, random bytes (of a nasty alphabet) for words.
TEST(CsvProperty, AWrittenTableReadsBackEqual) {
  const std::vector<std::string> alphabet = {
      "a", "B", "\"", ",", "\n", "\r", ";", "\t", " ", "ü", "7", "'"};
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const std::size_t rows = 1 + pick(40), width = 1 + pick(6);
    Table table("random");
    for (std::size_t j = 0; j < width; ++j) {
      const std::string name = "c" + std::to_string(j) + alphabet[pick(alphabet.size())] + "_";
      if (pick(2) == 0) {
        std::vector<double> numbers(rows);
        for (double& number : numbers) {
          number = std::bit_cast<double>(random());
          if (!std::isfinite(number)) number = NAN;
        }
        table.add_numbers(name, numbers);
      } else {
        std::vector<std::string> cells(rows);
        for (std::string& cell : cells) {
          if (pick(5) == 0) continue;  // missing
          cell = "w";
          for (std::size_t k = pick(6); k > 0; --k) cell += alphabet[pick(alphabet.size())];
        }
        table.add_text(name, cells);
      }
    }
    std::vector<std::string> text_columns;
    for (const Column& column : table.columns())
      if (column.is_text) text_columns.push_back(column.name);
    const Table back =
        parse_csv(to_csv(table), "back", {.delimiter = ',', .text_columns = text_columns});
    ASSERT_EQ(back.names(), table.names()) << "seed " << seed;
    ASSERT_EQ(back.rows(), table.rows()) << "seed " << seed;
    for (std::size_t j = 0; j < width; ++j) {
      const Column &a = table.columns()[j], &b = back.columns()[j];
      ASSERT_EQ(a.is_text, b.is_text) << "seed " << seed;
      for (Index row = 0; row < table.rows(); ++row) {
        ASSERT_EQ(a.cell(row), b.cell(row)) << "seed " << seed << " row " << row;
        if (!a.is_text && !a.missing(row)) {
          const auto i = static_cast<std::size_t>(row);
          ASSERT_EQ(std::bit_cast<std::uint64_t>(a.numbers[i]),
                    std::bit_cast<std::uint64_t>(b.numbers[i]))
              << "seed " << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ggpm
