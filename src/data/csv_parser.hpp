// The syntax of CSV (libcsv), with what libcsv leaves open: the header, the width of rows, limits.
#pragma once

#include <csv.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"
#include "ggpm/types.hpp"

namespace ggpm::internal::data {

// A file without end, without line breaks or with an open quote must not take all memory.
inline constexpr std::size_t kMaxFieldBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxColumns = 100'000;
inline constexpr std::size_t kMaxQueueBytes = std::size_t{1} << 28;

// Whether a table that begins with this cell, bare, would be read as if it began with something else: a
// byte order mark, which is skipped, or another format, which is refused.
bool begins_otherwise(std::string_view cell);

// Turns bytes into rows of cells. Whole rows queue up in one buffer and are consumed from its
// front.
class CsvParser {
 public:
  CsvParser(std::unique_ptr<ByteSource> source, char delimiter);  // reads the header, no more
  // Rows of the same table, from somewhere below its header.
  CsvParser(std::unique_ptr<ByteSource> rows, const CsvParser& header);
  ~CsvParser();
  CsvParser(const CsvParser&) = delete;  // libcsv calls back with our address
  CsvParser& operator=(const CsvParser&) = delete;

  const std::string& source() const { return source_->name(); }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t header_bytes() const { return header_bytes_; }  // of the source, with its line end

  // Cells of other columns are not kept. Places in names(), ascending, before the first row is
  // read.
  void select(std::vector<std::size_t> places);
  const std::vector<std::size_t>& selected() const { return selected_; }

  // Reads on until max_rows rows are queued, or rows of max_bytes bytes, or the input ends. Returns
  // how many of the queue these are, which only the rows decide, not how the bytes came.
  bool lacks(Index max_rows, std::size_t max_bytes) const;
  Index fill(Index max_rows, std::size_t max_bytes);
  std::string_view cell(Index row, std::size_t selected_column) const;
  Index first_row_number() const { return first_row_number_; }  // of the queue, from 1
  void consume(Index rows);
  // A blank line, and no row after it: an error in a table of one column if there will be one.
  bool ends_in_blank_line() const { return blank_line_ > 0; }

  // Where somebody else parses: the queue for his, and he reads all bytes below the header, or those
  // from somewhere on are read from here.
  std::string packed_queue() const;
  void append_packed(std::string_view queue);
  void read_no_more();
  void read_on(std::unique_ptr<ByteSource> rows);

 private:
  static void on_field(void* bytes, std::size_t size, void* self);
  static void on_row(int terminator, void* self);
  void take_field(std::string_view cell);
  void take_row(int terminator);
  void finish_header();
  void begin_input();
  void finish_input();
  void read_chunk();
  void parse(std::string_view bytes);
  [[noreturn]] void fail(const std::string& what) const;
  std::size_t bytes_of(Index rows) const;  // from the front of the queue
  Index row_in_progress() const { return first_row_number_ + queued_; }

  std::unique_ptr<ByteSource> source_;
  csv_parser parser_{};
  std::vector<char> chunk_;
  std::string_view rest_;  // of the chunk, not parsed yet
  std::size_t header_bytes_ = 0;
  bool at_start_ = true;
  bool at_end_ = false;
  char delimiter_;
  std::exception_ptr failure_;  // libcsv is C: nothing may be thrown through it

  std::vector<std::string> names_;
  bool header_done_ = false;
  std::vector<std::size_t> selected_;

  std::size_t column_ = 0;         // in the row that is being read
  std::size_t next_selected_ = 0;  // place in selected_ of the next column to keep
  int last_terminator_ = 0;
  Index blank_line_ = 0;  // row number a blank line stands for, 0: none

  std::string cells_;                // of the queue, one behind the other
  std::vector<std::uint32_t> ends_;  // of each kept cell in cells_
  std::size_t gone_ = 0;             // cells at their front that are consumed
  Index first_row_number_ = 1;
  Index queued_ = 0;  // whole rows
};

}  // namespace ggpm::internal::data
