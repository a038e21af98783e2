#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "data/categories.hpp"
#include "data/standardize.hpp"
#include "ggpm/data.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Behind the name of a column whose levels are numbers of one input; the kernel looks for it.
constexpr std::string_view kCoded = "(levels)";

std::vector<std::string> sorted_levels(const Table& table, const Column& column, Index most) {
  data::require_categories(table, column);
  std::set<std::int32_t> used(column.codes.begin(), column.codes.end());
  used.erase(-1);
  if (std::ssize(used) > most)
    throw DataError(
        table.place(column.name),
        fmt::format("text with {} different values in {} rows, the first is {}; at most {} become "
                    "inputs; leave the column out, or code it as numbers",
                    used.size(),
                    column.rows(),
                    in_quotes(column.levels[static_cast<std::size_t>(*used.begin())]),
                    most));
  std::vector<std::string> levels;
  levels.reserve(used.size());
  for (const std::int32_t code : used)
    levels.push_back(column.levels[static_cast<std::size_t>(code)]);
  std::sort(levels.begin(), levels.end());
  return levels;
}

void require_present(const Table& table, const Column& column, Index row) {
  if (column.missing(row))
    throw DataError(table.place(row, column.name),
                    "the cell is missing; fill it in, or leave such rows out",
                    Remedy::drop_missing);
}

double finite_number(const Table& table, const Column& column, Index row) {
  require_present(table, column, row);
  const double number = column.numbers[static_cast<std::size_t>(row)];
  if (!std::isfinite(number))
    throw DataError(table.place(row, column.name),
                    column.cell(row) + " is not a finite number; correct it or write NA");
  return number;
}

std::vector<double> finite_numbers(const Table& table, const Column& column) {
  std::vector<double> numbers(static_cast<std::size_t>(table.rows()));
  for (Index row = 0; row < table.rows(); ++row)
    numbers[static_cast<std::size_t>(row)] = finite_number(table, column, row);
  return numbers;
}

// A column of numbers is wanted, this one is text: the first cell that is not a number is the
// fault.
[[noreturn]] void refuse_text(const Table& table, const Column& column, std::string_view remedy) {
  for (Index row = 0; row < column.rows(); ++row) {
    const std::string cell = column.cell(row);
    if (column.missing(row) || parse_number(cell)) continue;
    const std::string hint = text::number_hint(cell);
    throw DataError(table.place(row, column.name),
                    fmt::format("{} is not a number; {}",
                                in_quotes(cell),
                                hint.empty() ? remedy : std::string_view(hint)));
  }
  throw DataError(table.place(column.name), "text; numbers are needed");
}

// "9007199254740993 has more digits than a double keeps: it is read as 9007199254740992"
std::string rounding(const Column& column) {
  return fmt::format("{} has more digits than a double keeps: it is read as {:.0f}",
                     text::trimmed(column.first_rounded_cell),
                     column.numbers[static_cast<std::size_t>(column.first_rounded)]);
}

std::vector<std::string> chosen_inputs(const Table& table, const DesignOptions& options) {
  for (const std::string& name : options.exclude) table.column(name);  // throws if unknown
  std::vector<std::string> chosen;
  if (options.inputs.empty()) {
    for (const Column& column : table.columns())
      if (!contains(options.exclude, column.name)) chosen.push_back(column.name);
  }
  for (const std::string& name : options.inputs) {
    table.column(name);
    if (contains(options.exclude, name))
      throw UsageError("column " + in_quotes(name) +
                       " is the target or has another role; it cannot be an input as well");
    if (contains(chosen, name))
      throw UsageError("column " + in_quotes(name) + " is named twice among the inputs");
    chosen.push_back(name);
  }
  if (chosen.empty())
    throw DataError(table.source() + ": no column is left as an input (columns: " +
                    text::listed(table.names()) + ")");
  return chosen;
}

// (rows, levels) of 0 and 1. A number in place of a level is compared as it is written.
void apply_levels(const Table& table,
                  const Column& column,
                  const DesignColumn& design,
                  Eigen::Ref<Matrix> X) {
  X.setZero();
  for (Index row = 0; row < table.rows(); ++row) {
    require_present(table, column, row);
    const std::string cell = column.cell(row);
    const auto level = std::lower_bound(design.levels.begin(), design.levels.end(), cell);
    if (level == design.levels.end() || *level != cell)
      throw DataError(table.place(row, column.name),
                      "the value " + in_quotes(cell) +
                          " was not there when the model was fitted; known are " +
                          text::listed(design.levels));
    X(row, level - design.levels.begin()) = 1;
  }
}

// The number of each level; one that was not there when the model was fitted has a number of its own.
void apply_codes(const Table& table,
                 const Column& column,
                 const DesignColumn& design,
                 Eigen::Ref<Vector> x) {
  std::map<std::string, Index> unseen;
  const Index known = std::ssize(design.levels);
  for (Index row = 0; row < table.rows(); ++row) {
    require_present(table, column, row);
    const std::string cell = column.cell(row);
    const auto level = std::lower_bound(design.levels.begin(), design.levels.end(), cell);
    const bool is_known = level != design.levels.end() && *level == cell;
    x[row] = static_cast<double>(
        is_known ? level - design.levels.begin()
                 : known + unseen.try_emplace(cell, std::ssize(unseen)).first->second);
  }
}

void apply_number(const Table& table,
                  const Column& column,
                  const DesignColumn& design,
                  Eigen::Ref<Vector> x) {
  if (column.is_text) refuse_text(table, column, "the model was fitted to numbers");
  for (Index row = 0; row < table.rows(); ++row) {
    x[row] = data::standardized(finite_number(table, column, row), design.center, design.scale);
    if (!std::isfinite(x[row]))
      throw DataError(
          table.place(row, column.name),
          fmt::format("{} is too far from the values the model was fitted to (about {} ± {})",
                      column.cell(row),
                      format_number(design.center),
                      format_number(design.scale)));
  }
}

}  // namespace

std::string coded_name(std::string_view column) {
  return std::string(column) + "=" + std::string(kCoded);
}

Vector numeric_column(const Table& table, std::string_view name) {
  const Column& column = table.column(name);
  if (column.is_text) refuse_text(table, column, "code it as a number or write NA");
  const std::vector<double> numbers = finite_numbers(table, column);
  if (column.first_rounded >= 0)
    throw DataError(fmt::format("{}: {}; round it, or count in larger units",
                                table.where(column.first_rounded, column.name),
                                rounding(column)));
  return Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers));
}

Design Design::learn(const Table& table, const DesignOptions& options) {
  if (table.rows() == 0) throw DataError(table.source() + ": there are no rows to learn from");
  std::vector<DesignColumn> columns;
  std::vector<std::string> notes;
  for (const std::string& name : chosen_inputs(table, options)) {
    const Column& column = table.column(name);
    DesignColumn& learned = columns.emplace_back();
    learned.name = name;
    if (column.is_text) {
      for (Index row = 0; row < table.rows(); ++row) require_present(table, column, row);
      learned.coded = contains(options.groups, name);
      learned.levels =
          sorted_levels(table, column, learned.coded ? table.rows() : options.max_levels);
      if (learned.coded) {
        notes.push_back(
            fmt::format("column {} is text: {} groups, those of new values are new groups",
                        in_quotes(name),
                        learned.levels.size()));
        continue;
      }
      notes.push_back(fmt::format("column {} is text: one input of 0 and 1 for each of {}",
                                  in_quotes(name),
                                  text::listed(learned.levels)));
      continue;
    }
    const auto standard = data::standardization(finite_numbers(table, column));
    if (options.standardize) {
      learned.center = standard.center;
      learned.scale = standard.scale;
    }
    if (column.first_rounded >= 0)
      notes.push_back(table.where(column.first_rounded, name) + ": " + rounding(column));
    if (standard.constant)
      notes.push_back(fmt::format("column {} is constant ({}): it says nothing about the target",
                                  in_quotes(name),
                                  format_number(standard.center)));
  }
  Design design(std::move(columns));
  design.notes_ = std::move(notes);
  return design;
}

Design::Design(std::vector<DesignColumn> columns) : columns_(std::move(columns)) {
  std::set<std::string_view> seen;
  for (const DesignColumn& column : columns_) {
    const std::string where = "design: column " + in_quotes(column.name);
    if (!seen.insert(column.name).second) throw DataError(where + " appears twice");
    if (!std::isfinite(column.center) || !std::isfinite(column.scale) || column.scale <= 0)
      throw DataError(fmt::format("{}: center {} and scale {} are impossible",
                                  where,
                                  format_number(column.center),
                                  format_number(column.scale)));
    if (std::adjacent_find(column.levels.begin(), column.levels.end(), std::greater_equal<>()) !=
        column.levels.end())
      throw DataError(where + ": the levels are not sorted and different");
    if (column.coded && column.levels.empty()) throw DataError(where + ": a group without levels");
    if (column.levels.empty()) names_.push_back(column.name);
    if (column.coded) names_.push_back(coded_name(column.name));
    if (column.coded) continue;
    for (const std::string& level : column.levels) {
      if (level == kCoded) throw DataError(where + ": " + in_quotes(level) + " cannot be a level");
      names_.push_back(column.name + "=" + level);
    }
  }
}

Matrix Design::apply(const Table& table) const {
  for (const DesignColumn& column : columns_)
    if (!table.has(column.name))
      throw DataError(table.source() + ": there is no column " + in_quotes(column.name) +
                      " (columns: " + text::listed(table.names()) + "); the model needs " +
                      text::listed(column_names()));
  Matrix X(table.rows(), dimensions());
  Index j = 0;
  for (const DesignColumn& design : columns_) {
    const Column& column = table.column(design.name);
    if (design.levels.empty() || design.coded) {
      (design.coded ? apply_codes : apply_number)(table, column, design, X.col(j));
      ++j;
    } else {
      const Index width = std::ssize(design.levels);
      apply_levels(table, column, design, X.middleCols(j, width));
      j += width;
    }
  }
  return X;
}

std::vector<std::string> Design::column_names() const {
  std::vector<std::string> names;
  for (const DesignColumn& column : columns_) names.push_back(column.name);
  return names;
}

std::vector<std::string> Design::text_column_names() const {
  std::vector<std::string> names;
  for (const DesignColumn& column : columns_)
    if (!column.levels.empty()) names.push_back(column.name);
  return names;
}

}  // namespace ggpm
