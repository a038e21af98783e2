// A column that grows by blocks of cells and finds out whether it is numbers or text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/csv_parser.hpp"
#include "ggpm/data.hpp"

namespace ggpm::internal::data {

// Enough to pay for the loop, small enough to stay in the cache.
inline constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
inline constexpr Index kBlockRows = 1 << 16;

class ColumnBuilder {
 public:
  ColumnBuilder(std::string name, bool as_text);

  // Rows [0, rows) of the parser's queue.
  void append(const CsvParser& parser, std::size_t selected_column, Index rows);

  // The first blocks were numbers, a later cell is not: how the numbers were written is lost, so
  // the table must be read again with this column as text.
  bool must_be_text() const { return must_be_text_; }
  const Column& column() const { return column_; }
  Column finish() && { return std::move(column_); }

 private:
  bool append_numbers(const CsvParser& parser, std::size_t selected_column, Index rows);
  void append_text(const CsvParser& parser, std::size_t selected_column, Index rows);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  Column column_;
  bool must_be_text_ = false;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> code_of_;
};

// Reads only these. DataError if there is none of such a name.
void select_columns(CsvParser& parser, std::span<const std::string> columns);
// Of the columns that are selected.
std::vector<ColumnBuilder> builders_for(const CsvParser& parser,
                                        std::span<const std::string> text_columns);
void append_block(CsvParser& parser, std::vector<ColumnBuilder>& builders, Index rows);
// All rows.
std::vector<ColumnBuilder> read_columns(CsvParser& parser,
                                        std::span<const std::string> text_columns);

}  // namespace ggpm::internal::data
