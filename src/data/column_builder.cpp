#include "data/column_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "text/text.hpp"

namespace ggpm::internal::data {
namespace {

// NA, NaN in any case, and nothing at all.
bool is_missing(std::string_view cell) {
  cell = text::trimmed(cell);
  if (cell.empty() || cell == "NA") return true;
  if (cell.size() != 3) return false;
  return (cell[0] | 0x20) == 'n' && (cell[1] | 0x20) == 'a' && (cell[2] | 0x20) == 'n';
}

}  // namespace

ColumnBuilder::ColumnBuilder(std::string name, bool as_text) {
  column_.name = std::move(name);
  column_.is_text = as_text;
}

void ColumnBuilder::append(const CsvParser& parser, std::size_t selected_column, Index rows) {
  if (must_be_text_) return;
  const Index before = column_.rows();
  if (!column_.is_text && append_numbers(parser, selected_column, rows)) return;
  if (!column_.is_text) {
    if (before > 0) {
      must_be_text_ = true;
      return;
    }
    column_ = {.name = std::move(column_.name), .is_text = true};
  }
  append_text(parser, selected_column, rows);
}

// False at the first cell that is neither a number nor missing.
bool ColumnBuilder::append_numbers(const CsvParser& parser,
                                   std::size_t selected_column,
                                   Index rows) {
  for (Index row = 0; row < rows; ++row) {
    const std::string_view cell = parser.cell(row, selected_column);
    if (const auto number = parse_number(cell)) {
      if (std::isinf(*number) && column_.first_infinite < 0) {
        column_.first_infinite = column_.rows();
        column_.first_infinite_cell = cell;
      }
      if (column_.first_rounded < 0 && text::is_rounded(cell, *number)) {
        column_.first_rounded = column_.rows();
        column_.first_rounded_cell = cell;
      }
      column_.numbers.push_back(*number);
    } else if (is_missing(cell)) {
      column_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      return false;
    }
  }
  return true;
}

void ColumnBuilder::append_text(const CsvParser& parser, std::size_t selected_column, Index rows) {
  for (Index row = 0; row < rows; ++row) {
    const std::string_view cell = parser.cell(row, selected_column);
    if (is_missing(cell)) {
      column_.codes.push_back(-1);
      continue;
    }
    if (const auto known = code_of_.find(cell); known != code_of_.end()) {
      column_.codes.push_back(known->second);
      continue;
    }
    const bool has_nul = cell.find('\0') != std::string_view::npos;
    if (has_nul || !text::is_valid_utf8(cell))
      throw DataError(fmt::format("{}: row {}, column {}: {} {}",
                                  parser.source(),
                                  parser.first_row_number() + row,
                                  in_quotes(column_.name),
                                  in_quotes(cell),
                                  has_nul ? "has a NUL byte; is this a text file?"
                                          : "is not UTF-8; save the file as UTF-8"));
    const auto code = static_cast<std::int32_t>(column_.levels.size());
    column_.levels.emplace_back(cell);
    code_of_.emplace(cell, code);
    column_.codes.push_back(code);
  }
}

void select_columns(CsvParser& parser, std::span<const std::string> columns) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < parser.names().size(); ++i) place.emplace(parser.names()[i], i);
  std::vector<std::size_t> places;
  for (const std::string& name : columns) {
    const auto found = place.find(name);
    if (found == place.end())
      throw DataError(text::unknown_column(parser.source(), name, parser.names()));
    places.push_back(found->second);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  parser.select(std::move(places));
}

std::vector<ColumnBuilder> builders_for(const CsvParser& parser,
                                        std::span<const std::string> text_columns) {
  const std::unordered_set<std::string_view> text(text_columns.begin(), text_columns.end());
  std::vector<ColumnBuilder> builders;
  builders.reserve(parser.selected().size());
  for (const std::size_t place : parser.selected()) {
    const std::string& name = parser.names()[place];
    builders.emplace_back(name, text.contains(name));
  }
  return builders;
}

void append_block(CsvParser& parser, std::vector<ColumnBuilder>& builders, Index rows) {
  for (std::size_t j = 0; j < builders.size(); ++j) builders[j].append(parser, j, rows);
  parser.consume(rows);
}

std::vector<ColumnBuilder> read_columns(CsvParser& parser,
                                        std::span<const std::string> text_columns) {
  std::vector<ColumnBuilder> builders = builders_for(parser, text_columns);
  while (const Index rows = parser.fill(kBlockRows, kBlockBytes))
    append_block(parser, builders, rows);
  return builders;
}

}  // namespace ggpm::internal::data
