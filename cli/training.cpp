#include "cli/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>

#include "cli/output.hpp"
#include "data/categories.hpp"
#include "text/text.hpp"

namespace ggpm::cli {
namespace {

void check_roles(const TableChoice& choice) {
  std::set<std::string> seen;
  for (const std::string& name : choice.columns.names())
    if (!seen.insert(name).second)
      throw UsageError(
          fmt::format("column {} has two parts; give target, trials, exposure and "
                      "offset a column each",
                      data::in_quotes(name)));
  for (const std::string& name : choice.inputs)
    if (seen.contains(name))
      throw UsageError(fmt::format("--inputs: column {} is the target, trials, exposure or offset",
                                   data::in_quotes(name)));
}

CompleteRows read_rows(const TableChoice& choice) {
  CsvOptions options;
  if (!choice.inputs.empty()) {
    options.columns = choice.columns.names();
    options.columns.insert(options.columns.end(), choice.inputs.begin(), choice.inputs.end());
  }
  const Table table = read_csv(choice.path, options);
  for (const std::string& name : choice.columns.names()) (void)table.column(name);
  CompleteRows complete = complete_rows(table, table.names(), choice.missing);
  if (complete.dropped > 0)
    note(fmt::format("{}: {} of {} rows have missing cells and are left out",
                     table.source(),
                     complete.dropped,
                     table.rows()));
  if (complete.table.rows() == 0)
    throw DataError(table.source() + ": no row is complete; name fewer columns by --inputs");
  return complete;
}

// The two classes as they are written, or nothing if the target is to be read as numbers.
std::vector<std::string> classes(const Table& table, const std::string& target) {
  const Column& column = table.column(target);
  if (column.is_text) {
    data::require_categories(table, column);
    if (column.levels.size() != 2)
      throw DataError(fmt::format(
          "{}: text with {} different {}; a target is a number, or text with two classes",
          table.where(target),
          column.levels.size(),
          column.levels.size() == 1 ? "value" : "values"));
    std::vector<std::string> levels = column.levels;
    std::sort(levels.begin(), levels.end());
    return levels;
  }
  const auto& y = column.numbers;
  const bool signs = std::all_of(y.begin(), y.end(), [](double v) { return v == -1 || v == 1; }) &&
                     std::find(y.begin(), y.end(), -1) != y.end();
  return signs ? std::vector<std::string>{"-1", "1"} : std::vector<std::string>{};
}

// Fractions k/N rather than counts k: between 0 and 1, and not all whole.
bool are_fractions(const Table& table, const ObservedColumns& columns) {
  const Vector y = numeric_column(table, columns.target);
  if (y.minCoeff() < 0 || y.maxCoeff() > 1) return false;
  if ((y.array() != y.array().floor()).any()) return true;
  if ((numeric_column(table, columns.trials).array() > 1).any())
    note(fmt::format("{}: all are 0 or 1, read as numbers of successes, not as fractions of trials",
                     table.where(columns.target)));
  return false;
}

}  // namespace

Training read_training(const TableChoice& choice, const Likelihood* likelihood) {
  check_roles(choice);
  CompleteRows complete = read_rows(choice);
  const Table& table = complete.table;
  ObservedColumns columns = choice.columns;
  const std::string& target = columns.target;
  const bool has_trials = !columns.trials.empty();

  if (likelihood == nullptr || likelihood->domain() == Domain::binary) {
    columns.levels = classes(table, target);
    if (!columns.levels.empty())
      note(fmt::format("{}: two classes; predictions are probabilities of {}",
                       table.where(target),
                       data::in_quotes(columns.levels[1])));
  }
  std::optional<Domain> domain;
  std::string reason;
  if (likelihood != nullptr) {
    domain = likelihood->domain();
  } else if (!columns.levels.empty()) {
    domain = Domain::binary;
    reason = fmt::format("{} rows, two classes → binary", table.rows());
  } else if (choice.squeeze) {
    domain = Domain::proportion;
    reason = fmt::format("{} rows, squeezed into (0, 1) → proportion", table.rows());
  } else {
    const DomainGuess guess = recognize_domain(numeric_column(table, target), has_trials);
    domain = guess.domain;
    reason = guess.reason;
  }
  if (*domain == Domain::fraction_of_trials && !has_trials)
    throw UsageError("binomial needs the number of trials of each row: --trials COLUMN");
  if (has_trials && *domain == Domain::fraction_of_trials)
    columns.fractions = are_fractions(table, columns);
  if (choice.squeeze) columns.squeeze = table.rows();

  const Observed observed = read_observed(table, columns, *domain);
  if (likelihood != nullptr) check_rows(*likelihood, observed.rows, table, target);
  Design design = Design::learn(
      table,
      {.inputs = choice.inputs, .exclude = columns.names(), .standardize = choice.standardize});
  for (const std::string& line : design.notes()) note(line);
  TrainingData data{.X = design.apply(table),
                    .rows = observed.rows,
                    .offset = observed.offset,
                    .columns = design.names()};
  return {.table = std::move(complete.table),
          .columns = std::move(columns),
          .design = std::move(design),
          .data = std::move(data),
          .domain = *domain,
          .reason = std::move(reason)};
}

std::string data_hash(const TrainingData& data) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= (bits >> (8 * byte)) & 0xff;
      hash *= 0x100000001b3;
    }
  };
  for (const double value : data.X.reshaped()) add(value);
  for (const Row& row : data.rows)
    for (const double value : {row.y, row.trials, row.exposure}) add(value);
  for (const double value : data.offset) add(value);
  return fmt::format("{:016x}", hash);
}

}  // namespace ggpm::cli
