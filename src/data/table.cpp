#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "ggpm/data.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

bool Column::missing(Index row) const {
  const auto i = static_cast<std::size_t>(row);
  return is_text ? codes[i] < 0 : std::isnan(numbers[i]);
}

std::string Column::cell(Index row) const {
  if (missing(row)) return "NA";
  const auto i = static_cast<std::size_t>(row);
  if (is_text) return levels[static_cast<std::size_t>(codes[i])];
  return row == first_infinite ? first_infinite_cell : format_number(numbers[i]);
}

Table::Table(std::string source, Index first_row_number)
    : source_(std::move(source)), first_row_number_(first_row_number) {}

void Table::add_column(Column column) {
  if (has(column.name))
    throw DataError(source_ + ": there are two columns " + in_quotes(column.name) +
                    "; every column needs its own name");
  if (!columns_.empty() && column.rows() != rows_)
    throw DataError(place(column.name),
                    fmt::format("{} rows, the other columns have {}", column.rows(), rows_));
  rows_ = column.rows();
  place_.emplace(column.name, columns_.size());
  columns_.push_back(std::move(column));
}

void Table::add_numbers(std::string name, std::vector<double> numbers) {
  Column column;
  column.name = std::move(name);
  column.numbers = std::move(numbers);
  add_column(std::move(column));
}

void Table::add_text(std::string name, std::span<const std::string> cells) {
  Column column;
  column.name = std::move(name);
  column.is_text = true;
  std::unordered_map<std::string, std::int32_t> code_of;
  for (const std::string& cell : cells) {
    if (cell.empty()) {
      column.codes.push_back(-1);
      continue;
    }
    const auto [entry, is_new] =
        code_of.try_emplace(cell, static_cast<std::int32_t>(column.levels.size()));
    if (is_new) column.levels.push_back(cell);
    column.codes.push_back(entry->second);
  }
  add_column(std::move(column));
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> names;
  names.reserve(columns_.size());
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

const Column& Table::column(std::string_view name) const {
  const auto found = place_.find(name);
  if (found != place_.end()) return columns_[found->second];
  throw DataError(text::unknown_column(source_, name, names()));
}

Table Table::select_rows(std::span<const Index> rows) const {
  Table out(source_, first_row_number_);
  out.rows_ = static_cast<Index>(rows.size());
  out.place_ = place_;
  out.columns_.reserve(columns_.size());
  for (const Index row : rows) out.row_numbers_.push_back(row_number(row));
  for (const Column& column : columns_) {
    Column& kept = out.columns_.emplace_back();
    kept.name = column.name;
    kept.is_text = column.is_text;
    kept.levels = column.levels;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      if (column.is_text) {
        kept.codes.push_back(column.codes[row]);
      } else {
        kept.numbers.push_back(column.numbers[row]);
      }
      if (rows[i] == column.first_infinite && kept.first_infinite < 0) {
        kept.first_infinite = static_cast<Index>(i);
        kept.first_infinite_cell = column.first_infinite_cell;
      }
      if (rows[i] == column.first_rounded && kept.first_rounded < 0) {
        kept.first_rounded = static_cast<Index>(i);
        kept.first_rounded_cell = column.first_rounded_cell;
      }
    }
  }
  return out;
}

Index Table::row_number(Index row) const {
  return row_numbers_.empty() ? first_row_number_ + row
                              : row_numbers_[static_cast<std::size_t>(row)];
}

std::vector<Index> Table::row_numbers() const {
  if (!row_numbers_.empty() || first_row_number_ == 1) return row_numbers_;
  std::vector<Index> out(static_cast<std::size_t>(rows_));
  std::iota(out.begin(), out.end(), first_row_number_);
  return out;
}

Place Table::place(std::string_view column) const {
  return {.source = source_, .column = std::string(column)};
}

Place Table::place(Index row, std::string_view column) const {
  return {.source = source_, .row = row_number(row), .column = std::string(column)};
}

std::string Table::where(std::string_view column) const {
  return source_ + ": column " + in_quotes(column);
}

std::string Table::where(Index row, std::string_view column) const {
  return fmt::format("{}: row {}, column {}", source_, row_number(row), in_quotes(column));
}

CompleteRows complete_rows(Table table, MissingPolicy policy) {
  const std::vector<std::string> names = table.names();
  return complete_rows(std::move(table), names, policy);
}

CompleteRows complete_rows(Table table,
                           std::span<const std::string> columns,
                           MissingPolicy policy) {
  std::vector<bool> incomplete(static_cast<std::size_t>(table.rows()), false);
  Index dropped = 0;
  Index first = table.rows();
  const std::string* first_column = nullptr;
  for (const std::string& name : columns) {
    const Column& column = table.column(name);
    for (Index row = 0; row < table.rows(); ++row) {
      if (!column.missing(row)) continue;
      if (row < first) {
        first = row;
        first_column = &name;
      }
      const auto i = static_cast<std::size_t>(row);
      dropped += incomplete[i] ? 0 : 1;
      incomplete[i] = true;
    }
  }
  if (dropped == 0) return {std::move(table), 0};
  if (policy == MissingPolicy::error)
    throw DataError(table.place(first, *first_column),
                    fmt::format("the cell is missing ({} in all); fill it in, or leave such rows "
                                "out",
                                dropped == 1 ? "1 row" : fmt::format("{} rows", dropped)),
                    Remedy::drop_missing);
  if (dropped == table.rows())
    throw DataError({.source = table.source()},
                    fmt::format("every row has a missing cell, the first is row {}, column {}; "
                                "leave out the columns that are often missing",
                                table.row_number(first),
                                in_quotes(*first_column)),
                    Remedy::fewer_inputs);
  std::vector<Index> kept;
  for (Index row = 0; row < table.rows(); ++row)
    if (!incomplete[static_cast<std::size_t>(row)]) kept.push_back(row);
  return {table.select_rows(kept), dropped};
}

}  // namespace ggpm
