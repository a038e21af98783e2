#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "data/categories.hpp"
#include "data/coordinates.hpp"
#include "data/dates.hpp"
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
constexpr int kMostLevels = 1000;                // of a factor: X has a column for each
constexpr Index kRowsToCount = 20;               // fewer may count from 1 to n by chance
constexpr std::string_view kNewLevel = "(new)";  // the name of the level that is not known yet

std::set<std::string> used_levels(const Column& column) {
  std::set<std::string> levels;
  for (Index row = 0; row < column.rows(); ++row)
    if (!column.missing(row)) levels.insert(column.cell(row));
  return levels;
}

std::vector<std::string> sorted_levels(const Table& table,
                                       const Column& column,
                                       const DesignOptions& options) {
  const bool factor = contains(options.factors, column.name);
  const bool group = contains(options.groups, column.name);
  if (!factor) data::require_categories(table, column);
  const std::set<std::string> used = used_levels(column);
  const Index most = group ? table.rows() : factor ? kMostLevels : options.max_levels;
  if (std::ssize(used) > most)
    throw DataError(
        table.place(column.name),
        fmt::format("{} with {} different values in {} rows, the first is {}; at most {} become "
                    "inputs{}; leave it out, {}take a group kernel",
                    column.is_text ? "text" : "numbers",
                    used.size(),
                    column.rows(),
                    in_quotes(column.cell(0)),
                    most,
                    factor ? "" : " unasked",
                    factor ? "or " : "declare it to be a factor, or "));
  return {used.begin(), used.end()};
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

// (rows, width) of 0 and 1. A number in place of a level is compared as it is written.
void apply_levels(const Table& table,
                  const Column& column,
                  const DesignColumn& design,
                  NewLevels* unseen,
                  Eigen::Ref<Matrix> X) {
  X.setZero();
  for (Index row = 0; row < table.rows(); ++row) {
    require_present(table, column, row);
    const std::string cell = column.cell(row);
    const auto level = std::lower_bound(design.levels.begin(), design.levels.end(), cell);
    const bool known = level != design.levels.end() && *level == cell;
    if (!known && design.open) {
      if (unseen != nullptr) (*unseen)[column.name].insert(cell);
      X(row, X.cols() - 1) = 1;
      continue;
    }
    if (!known)
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

double date_number(const Table& table, const Column& column, Index row) {
  require_present(table, column, row);
  const std::string cell = column.cell(row);
  const std::optional<double> days = data::parse_date(cell);
  if (!days)
    throw DataError(table.place(row, column.name),
                    in_quotes(cell) +
                        " is not a date as 2024-02-29 or 2024-02-29 13:45, to "
                        "which the model was fitted");
  return *days;
}

void apply_number(const Table& table,
                  const Column& column,
                  const DesignColumn& design,
                  Eigen::Ref<Vector> x) {
  if (column.is_text && !design.is_date)
    refuse_text(table, column, "the model was fitted to numbers");
  for (Index row = 0; row < table.rows(); ++row) {
    const double number = design.is_date && column.is_text ? date_number(table, column, row)
                                                           : finite_number(table, column, row);
    x[row] = data::standardized(number, design.center, design.scale);
    if (!std::isfinite(x[row]))
      throw DataError(
          table.place(row, column.name),
          fmt::format("{} is too far from the values the model was fitted to (about {} ± {})",
                      column.cell(row),
                      format_number(design.center),
                      format_number(design.scale)));
  }
}

std::vector<double> date_numbers(const Table& table, const Column& column) {
  std::vector<double> days;
  for (Index row = 0; row < table.rows(); ++row) days.push_back(date_number(table, column, row));
  return days;
}

// 1, 2, 3, ... or 0, 1, 2, ... in the order of the rows.
bool counts_rows(std::span<const double> numbers) {
  if (std::ssize(numbers) < kRowsToCount || (numbers[0] != 0 && numbers[0] != 1)) return false;
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] != numbers[i - 1] + 1) return false;
  return true;
}

// One column of the table on its way to the inputs, with what a person should know of it.
class ColumnLearner {
 public:
  ColumnLearner(const Table& table,
                const DesignOptions& options,
                bool alone,
                std::vector<std::string>& notes)
      : table_(table), options_(options), alone_(alone), notes_(notes) {}

  DesignColumn learn(const std::string& name) {
    const Column& column = table_.column(name);
    for (Index row = 0; row < table_.rows(); ++row) require_present(table_, column, row);
    const bool factor = contains(options_.factors, name);
    if (!factor && data::holds_dates(column)) return date(column);
    return factor || column.is_text ? levels(column) : number(column);
  }

 private:
  // Factors are declared; the faces hand their numbers over as text.
  std::string_view what_it_is(const Column& column) const {
    return column.is_text && !contains(options_.factors, column.name) ? "text" : "a factor";
  }

  DesignColumn levels(const Column& column) {
    DesignColumn out{.name = column.name, .levels = sorted_levels(table_, column, options_)};
    out.coded = contains(options_.groups, column.name);
    if (out.coded) {
      notes_.push_back(fmt::format("column {} is {}: {} groups, those of new values are new groups",
                                   in_quotes(column.name),
                                   what_it_is(column),
                                   out.levels.size()));
      return out;
    }
    out.open = options_.new_levels && !contains(out.levels, kNewLevel);
    notes_.push_back(fmt::format("column {} is {}: one input of 0 and 1 for each of {}",
                                 in_quotes(column.name),
                                 what_it_is(column),
                                 text::listed(out.levels)));
    if (std::ssize(out.levels) == table_.rows() && table_.rows() > 1)
      notes_.push_back(fmt::format(
          "column {} is different in every row: if it names them, leave it out of the inputs",
          in_quotes(column.name)));
    return out;
  }

  DesignColumn date(const Column& column) {
    DesignColumn out{.name = column.name, .is_date = true};
    notes_.push_back(fmt::format("column {} holds dates: one input, in days since 1970-01-01",
                                 in_quotes(column.name)));
    standardize(date_numbers(table_, column), out);
    return out;
  }

  DesignColumn number(const Column& column) {
    DesignColumn out{.name = column.name};
    const std::vector<double> numbers = finite_numbers(table_, column);
    if (column.first_rounded >= 0)
      notes_.push_back(table_.where(column.first_rounded, column.name) + ": " + rounding(column));
    if (!alone_ && counts_rows(numbers))
      notes_.push_back(
          fmt::format("column {} counts the rows: if it numbers them, leave it out of the inputs",
                      in_quotes(column.name)));
    standardize(numbers, out);
    return out;
  }

  void standardize(std::span<const double> numbers, DesignColumn& out) {
    const auto standard = data::standardization(numbers);
    if (options_.standardize && !contains(options_.degrees, out.name)) {
      out.center = standard.center;
      out.scale = out.unit = standard.scale;
    }
    if (standard.constant)
      notes_.push_back(fmt::format("column {} is constant ({}): it says nothing about the target",
                                   in_quotes(out.name),
                                   format_number(standard.center)));
  }

  const Table& table_;
  const DesignOptions& options_;
  bool alone_;
  std::vector<std::string>& notes_;
};

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
  const std::vector<std::string> chosen = chosen_inputs(table, options);
  for (const std::string& name : options.factors)
    if (!contains(chosen, name))
      throw UsageError("factors: column " + in_quotes(name) + " is not an input" +
                       did_you_mean(name, chosen));
  std::vector<DesignColumn> columns;
  columns.reserve(chosen.size());
  std::vector<std::string> notes;
  ColumnLearner learner(table, options, chosen.size() == 1, notes);
  for (const std::string& name : chosen) columns.push_back(learner.learn(name));
  // Degrees of the sphere have a scale of their own.
  if (options.standardize && options.degrees.empty())
    data::scale_places(table, options.coordinates, columns, notes);
  Design design(std::move(columns));
  design.notes_ = std::move(notes);
  return design;
}

Design::Design(std::vector<DesignColumn> columns) : columns_(std::move(columns)) {
  std::set<std::string_view> seen;
  for (const DesignColumn& column : columns_) {
    const std::string where = "design: column " + in_quotes(column.name);
    if (!seen.insert(column.name).second) throw DataError(where + " appears twice");
    if (!std::isfinite(column.center) || !std::isfinite(column.scale) || column.scale <= 0 ||
        !std::isfinite(column.unit) || column.unit <= 0)
      throw DataError(fmt::format("{}: center {}, scale {} and unit {} are impossible",
                                  where,
                                  format_number(column.center),
                                  format_number(column.scale),
                                  format_number(column.unit)));
    if (std::adjacent_find(column.levels.begin(), column.levels.end(), std::greater_equal<>()) !=
        column.levels.end())
      throw DataError(where + ": the levels are not sorted and different");
    if (column.coded && column.levels.empty()) throw DataError(where + ": a group without levels");
    if (column.levels.empty()) names_.push_back(column.name);
    if (column.coded) {
      names_.push_back(coded_name(column.name));
      continue;
    }
    for (const std::string& level : column.levels) {
      if (level == kCoded) throw DataError(where + ": " + in_quotes(level) + " cannot be a level");
      names_.push_back(column.name + "=" + level);
    }
    if (column.open && !column.levels.empty())
      names_.push_back(column.name + "=" + std::string(kNewLevel));
  }
}

Matrix Design::apply(const Table& table, NewLevels* unseen) const {
  for (const DesignColumn& column : columns_)
    if (!table.has(column.name))
      throw DataError(table.source() + ": there is no column " + in_quotes(column.name) +
                      " (columns: " + text::listed(table.names()) + "); the model needs " +
                      text::listed(column_names()));
  Matrix X(table.rows(), dimensions());
  Index j = 0;
  for (const DesignColumn& design : columns_) {
    const Column& column = table.column(design.name);
    if (design.coded)
      apply_codes(table, column, design, X.col(j));
    else if (design.levels.empty())
      apply_number(table, column, design, X.col(j));
    else
      apply_levels(table, column, design, unseen, X.middleCols(j, design.width()));
    j += design.width();
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
    if (!column.levels.empty() || column.is_date) names.push_back(column.name);
  return names;
}

namespace {

// Kernels take values from 1e-100 to 1e100: in columns beyond, they stay in standard deviations.
bool is_speakable(double unit) { return unit > 1e-50 && unit < 1e50; }

}  // namespace

std::vector<double> Design::units() const {
  std::vector<double> out;
  for (const DesignColumn& column : columns_)
    out.insert(out.end(),
               static_cast<std::size_t>(column.width()),
               column.levels.empty() && is_speakable(column.unit) ? column.unit : 1);
  return out;
}

std::vector<std::string> notes_of(const NewLevels& unseen) {
  std::vector<std::string> notes;
  for (const auto& [column, levels] : unseen)
    notes.push_back(fmt::format(
        "column {}: {} {} not there when the model was fitted: {} predicted with the prior of its "
        "effect",
        in_quotes(column),
        text::listed(std::vector<std::string>(levels.begin(), levels.end())),
        levels.size() == 1 ? "was" : "were",
        levels.size() == 1 ? "such rows are" : "such rows are each"));
  return notes;
}

}  // namespace ggpm
