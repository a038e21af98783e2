// A table that several ranks read at once: each parses the rows of its part of the file.
//
// What is wrong with a table is for one reader to say, from its beginning: where a rank finds
// something, or cannot read, the ranks have the table read in one piece instead (open_source).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/csv_parser.hpp"
#include "data/file_parts.hpp"
#include "ggpm/data.hpp"

namespace ggpm::internal::data {

// All rows: ranks tell each other the columns of their parts, as numbers and codes of levels. Nothing
// if they cannot.
std::optional<Table> read_together(const std::string& path, const CsvOptions& options);

// Rows as they are needed, a window of the file after the other: ranks tell each other the cells of
// their parts of it.
struct SharedTable {
  // The rows of the next window. False if there is none, or one that a rank cannot read: the queue
  // then reads on by itself.
  bool append_to(CsvParser& queue);

  std::shared_ptr<const SharedFile> file;
  std::unique_ptr<CsvParser> header;
  Index place;   // of the first row that nobody has read
  Index window;  // bytes
};

// Nothing where ranks cannot share the file, or its header is wrong.
std::optional<SharedTable> open_table_together(const std::string& path, char delimiter);

}  // namespace ggpm::internal::data
