#include "data/table_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "ggpm/data.hpp"
#include "support/files.hpp"
#include "support/thread_ranks.hpp"

namespace ggpm::internal::data {
namespace {

using testing::HasSubstr;
using testing_support::TemporaryFolder;

class SharedTables : public testing::Test {
 protected:
  std::string write(const std::string& text, const std::string& name = "t.csv") const {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
    return folder_.file(name);
  }
  TemporaryFolder folder_;
};

// Everything that a table says, to the last bit.
std::string all_of(const Table& table) {
  std::string out = table.source();
  const auto add = [&](const auto& what) { out += ' ' + std::to_string(what); };
  for (const Column& column : table.columns()) {
    out += '\n' + column.name + (column.is_text ? " text" : " numbers");
    for (const double number : column.numbers) add(std::bit_cast<std::uint64_t>(number));
    for (const std::int32_t code : column.codes) add(code);
    for (const std::string& level : column.levels) out += " [" + level + "]";
    add(column.first_infinite);
    add(column.first_rounded);
    out += column.first_infinite_cell + "|" + column.first_rounded_cell;
  }
  for (Index row = 0; row < table.rows(); ++row) add(table.row_number(row));
  return out;
}

template <class Read>
std::string table_or_error(const Read& read) {
  try {
    return read();
  } catch (const DataError& error) {
    return error.what();
  }
}

std::string read_whole(const std::string& path, const CsvOptions& options = {}) {
  return table_or_error([&] { return all_of(read_csv(path, options)); });
}

std::string read_blocks(const std::string& path, Index rows) {
  return table_or_error([&] {
    std::string out;
    CsvReader reader(path);
    while (const auto block = reader.next(rows)) out += all_of(*block);
    return out;
  });
}

// Cells of a nasty alphabet, or numbers; lines end as one of three.
std::string random_table(std::mt19937_64& random) {
  const std::vector<std::string> alphabet = {
      "a", "B", "\"", ",", "\n", "\r", "\r\n", ";", "\t", " ", "ü", "7", "'", "\"\""};
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t rows = 1 + pick(30), width = 2 + pick(4);
  const std::string end = std::vector<std::string>{"\n", "\r\n", "\r"}[pick(3)];
  std::string text = pick(3) == 0 ? "\xEF\xBB\xBF" : "";
  std::vector<std::string> cells;
  for (std::size_t j = 0; j < width; ++j)
    cells.push_back("c" + std::to_string(j) + alphabet[pick(alphabet.size())] + "_");
  std::vector<bool> words(width);
  for (std::size_t j = 0; j < width; ++j) words[j] = pick(2) == 0;
  for (std::size_t i = 0; i <= rows; ++i) {
    std::string line;
    append_csv_row(line, cells);
    line.pop_back();
    text += line + end + (pick(10) == 0 ? end : "");
    for (std::size_t j = 0; j < width; ++j) {
      cells[j] = pick(5) == 0 ? "NA" : pick(20) == 0 ? "1e999" : std::to_string(pick(90));
      if (!words[j] || pick(3) == 0) continue;
      for (std::size_t length = pick(12); length > 0; --length)
        cells[j] += alphabet[pick(alphabet.size())];
    }
  }
  if (pick(2) == 0) text.resize(text.size() - end.size());  // the last line has no end
  return text;
}

TEST_F(SharedTables, AnyNumberOfRanksReadsTheRowsOfOne) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937_64 random(seed);
    const std::string path = write(random_table(random));
    const auto parts = static_cast<int>(2 + random() % 12);
    const std::string alone = read_whole(path);
    std::vector<std::string> there(static_cast<std::size_t>(parts));
    ThreadJob(parts).run([&](int rank) {
      const std::optional<Table> table = read_together(path, {});
      there[static_cast<std::size_t>(rank)] = table ? all_of(*table) : "not read together";
    });
    for (const std::string& of_rank : there)
      ASSERT_EQ(of_rank, alone) << "seed " << seed << ", " << parts << " ranks";
  }
}

TEST_F(SharedTables, AnyBytesAreReadOrRefusedInTheWordsOfOne) {
  const std::vector<std::string> pieces = {
      "a",    "b",    "1",   "2.5",          "-",   ",",   ",",    "\n",    "\n",
      "\r",   "\r\n", "\"",  "\"\"",         ";",   "\t",  " NA",  "1e999", "\xFF",
      "\xC3", "\xBC", "nan", "\xEF\xBB\xBF", "0x1", "inf", "1,2\n"};
  int refused = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    std::string text = seed % 3 == 0 ? "" : seed % 3 == 1 ? "x\n1\n" : "x,y\n1,2\n";
    for (auto count = random() % 40; count > 0; --count) text += pieces[random() % pieces.size()];
    const std::string path = write(text);
    const auto parts = static_cast<int>(2 + random() % 7);
    const std::string whole = read_whole(path), blocks = read_blocks(path, 3);
    refused += whole.find(": ") != whole.npos ? 1 : 0;
    ThreadJob(parts).run([&](int) {
      EXPECT_EQ(read_whole(path), whole) << "seed " << seed << ", " << parts << " ranks";
      EXPECT_EQ(read_blocks(path, 3), blocks) << "seed " << seed << ", " << parts << " ranks";
    });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(refused, 25);
}

TEST_F(SharedTables, AwkwardFilesAreReadByAllRanks) {
  const std::string lines = "\"one\ntwo\r\nthree, \"\"four\"\"\n";
  std::string many_lines;
  for (int i = 0; i < 200; ++i) many_lines += "line, with \"\"quotes\"\"\n";
  const std::string dates = "2024-02-29,1\n2024-03-01,2\nNA,3\n";
  const std::vector<std::string> texts = {
      "x,y\n1,2\n",
      "x,y\n1,2",
      "x,y\r\n1,2\r\n3,4\r\n",
      "x,y\r1,2\r3,4",
      "\xEF\xBB\xBFx,y\n1,2\n3,4\n",
      "\n\n  \nx,y\n\n1,2\n\n\n3,4\n\n",
      "\"x\n1\",y\n1,2\n3,4\n",
      "x,y\n" + lines + "\",1\nb,2\n" + lines + "\",3\n",
      "x,y\n1,2\n\"" + many_lines + "\",3\n4,5\n",
      "x,y\n1,2\n" + std::string(5'000, '9') + ",3\n4,5\n",
      "t,y\n" + dates + dates + dates,
      "id,y\n001,1\n002,2\n003,3\n004,4\n005,5\nA,6\n",       // text comes late
      "id,y\nA,1\n002,2\n003,3\n004,4\n005,5\n006,6\n",       // or early
      "id,y\nNA,1\nNA,2\nNA,3\nNA,4\nNA,5\nA,6\n",            // and nothing before
      "c,y\nlow,1\nhigh,2\nlow,3\nmiddle,4\nhigh,5\nhi,6\n",  // levels as they come
      "x,y\n1,2\n1e999,3\n-1e999,9007199254740993\n1,9007199254740995\n",
      "x\n1\n2\n3\n4\n5\n",
  };
  for (const std::string& text : texts) {
    const std::string path = write(text), alone = read_whole(path);
    for (const int ranks : {2, 3, 4, 8, 20})
      ThreadJob(ranks).run([&](int) {
        const std::optional<Table> table = read_together(path, {});
        ASSERT_TRUE(table) << text << ", " << ranks << " ranks";
        EXPECT_EQ(all_of(*table), alone) << text << ", " << ranks << " ranks";
      });
  }
}

TEST_F(SharedTables, OnlySelectedColumnsAreReadAndTextStaysText) {
  const std::string path = write("a,b,c,d\n1,x,007,\xFF\n2,y,7,\xFF\n3,x,7,\xFF\n4,z,007,\xFF\n");
  const CsvOptions options{.columns = {"c", "b"}, .text_columns = {"c"}};
  const std::string alone = read_whole(path, options);
  EXPECT_THAT(alone, HasSubstr("[007] [7]"));
  ThreadJob(3).run([&](int) {
    EXPECT_EQ(read_whole(path, options), alone);
    EXPECT_THAT(read_whole(path, {.columns = {"e"}}), HasSubstr("there is no column 'e'"));
  });
}

// Row numbers, and which of two errors is told.
TEST_F(SharedTables, ErrorsAreThoseOfOneReader) {
  std::string rows;
  for (int i = 0; i < 500; ++i) rows += "1,word,3\n";
  const std::vector<std::string> errors = {
      "1,2\n", "1,2,3,4\n", "1,a\"b,3\n", "1,\xFF,3\n", "1,\"open,3\n", "\"a\"b,2,3\n"};
  for (const std::string& error : errors)
    for (const std::string& text : {rows + error + rows, rows + error, error + rows + error}) {
      const std::string path = write("x,w,y\n" + text), alone = read_whole(path);
      EXPECT_THAT(alone, HasSubstr(text.starts_with("1,word") ? "row 501" : "row 1"));
      const std::string blocks = read_blocks(path, 100);
      for (const int ranks : {2, 5})
        ThreadJob(ranks).run([&](int) {
          EXPECT_EQ(read_whole(path), alone);
          EXPECT_EQ(read_blocks(path, 100), blocks);
        });
    }
  for (const std::string text :
       {"", "\n", "x,y\n", "x,y", "x,x\n1,2\n", "y\n1\n\n3\n", "1,2\n3,4\n"}) {
    const std::string path = write(text), alone = read_whole(path);
    EXPECT_THAT(alone, HasSubstr("t.csv: "));
    ThreadJob(4).run([&](int) { EXPECT_EQ(read_whole(path), alone) << text; });
  }
}

TEST_F(SharedTables, BlocksAreTheSameWhateverTheWindows) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const std::string path = write(random_table(random));
    const auto ranks = static_cast<int>(2 + random() % 6);
    const auto window = static_cast<Index>(1 + random() % 200);
    const auto rows_of = [](CsvParser& queue, const auto& fill) {
      std::string out;
      while (const Index rows = fill()) {
        for (Index row = 0; row < rows; ++row) {
          for (std::size_t j = 0; j < queue.selected().size(); ++j)
            out += std::string(queue.cell(row, j)) + "|";
          out += std::to_string(queue.first_row_number() + row) + "\n";
        }
        out += "--\n";
        queue.consume(rows);
      }
      return out;
    };
    CsvParser whole(open_source(path), '\0');
    const std::string alone = rows_of(whole, [&] { return whole.fill(5, 40); });
    ThreadJob(ranks).run([&](int) {
      std::optional<SharedTable> shared = open_table_together(path, '\0');
      ASSERT_TRUE(shared);
      shared->window = window;
      CsvParser& queue = *shared->header;
      bool more = true;
      EXPECT_EQ(rows_of(queue,
                        [&] {
                          while (more && queue.lacks(5, 40)) more = shared->append_to(queue);
                          return queue.fill(5, 40);
                        }),
                alone)
          << "seed " << seed << ", " << ranks << " ranks, window " << window;
      EXPECT_EQ(shared->place, shared->file->size());
    });
    ASSERT_FALSE(HasFailure());
  }
}

// More than one window of the size that is used.
TEST_F(SharedTables, ALongTableComesInTheSameBlocks) {
  std::string text = "x,w,y\n";
  for (int i = 0; i < 60'000; ++i)
    text += std::to_string(i) +
            (i % 5'000 == 77 ? ",\"a\nb\"," : ",00" + std::to_string(i % 9) + ",") +
            std::to_string(i / 7.0) + "\n";
  const std::string path = write(text), late = write(text + "1,2\n", "late.csv");
  const std::string alone = read_blocks(path, 1'024);
  EXPECT_THAT(read_blocks(late, 1'024), HasSubstr("row 60001 has 2 cells"));
  ThreadJob(3).run([&](int) {
    EXPECT_TRUE(read_blocks(path, 1'024) == alone);
    EXPECT_THAT(read_blocks(late, 1'024), HasSubstr("row 60001 has 2 cells"));
    EXPECT_THAT(read_whole(late), HasSubstr("row 60001 has 2 cells"));
  });
}

TEST_F(SharedTables, TheFirstRankReadsWhatCannotBeShared) {
  const std::string path = write("x,y\n1,2\n3,4\n"), other = write("x,y\n1,2\n3,5\n", "o.csv");
  const std::string alone = read_whole(path), packed = folder_.file("t.csv.gz");
  gzFile file = gzopen(packed.c_str(), "wb");
  gzputs(file, "x,y\n1,2\n3,4\n");
  gzclose(file);
  const std::string unpacked = read_whole(packed);
  ThreadJob(3).run([&](int rank) {
    EXPECT_FALSE(open_together(packed));
    EXPECT_EQ(read_whole(packed), unpacked);
    for (const std::string& theirs :
         {folder_.file("none.csv"), other, packed, folder_.path().string()}) {
      const std::string own = rank == 1 ? theirs : path;
      EXPECT_FALSE(open_together(own));
      const std::string read = read_whole(own);
      EXPECT_EQ(read.substr(read.find('\n')), alone.substr(alone.find('\n'))) << own;
    }
    EXPECT_THAT(read_whole(rank == 0 ? folder_.file("none.csv") : path),
                HasSubstr("none.csv: cannot be opened: No such file"));
  });
}

}  // namespace
}  // namespace ggpm::internal::data
