#include "cli/observed.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "text/text.hpp"

namespace ggpm::cli {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// The target with a missing cell as NaN; otherwise as numeric_column.
Vector target_numbers(const Table& table, const std::string& name, bool may_miss) {
  const Column& column = table.column(name);
  if (!may_miss || column.is_text || column.first_infinite >= 0 || column.first_rounded >= 0)
    return numeric_column(table, name);
  return Eigen::Map<const Vector>(column.numbers.data(), column.rows());
}

// 0 and 1 for the two classes as they were written.
Vector target_classes(const Table& table,
                      const std::string& name,
                      const std::vector<std::string>& levels,
                      bool may_miss) {
  const Column& column = table.column(name);
  Vector y(column.rows());
  for (Index i = 0; i < y.size(); ++i) {
    const std::string cell = column.cell(i);
    if (column.missing(i) && may_miss) {
      y(i) = kMissing;
    } else if (cell == levels[0] || cell == levels[1]) {
      y(i) = cell == levels[1] ? 1 : 0;
    } else {
      throw DataError(fmt::format("{}: {} is not a class of this model; they are {} and {}",
                                  table.where(i, name),
                                  data::in_quotes(cell),
                                  data::in_quotes(levels[0]),
                                  data::in_quotes(levels[1])));
    }
  }
  return y;
}

[[noreturn]] void refuse(
    const Table& table, Index row, const std::string& column, double value, std::string_view why) {
  throw DataError(fmt::format("{}: {} {}", table.where(row, column), format_number(value), why));
}

// k of N: y is k, or k/N.
void read_trials(const Table& table, const ObservedColumns& columns, std::vector<Row>& rows) {
  const Vector trials = numeric_column(table, columns.trials);
  for (Index i = 0; i < trials.size(); ++i) {
    Row& row = rows[static_cast<std::size_t>(i)];
    const double N = trials(i);
    if (N < 1 || N != std::floor(N))
      refuse(table, i, columns.trials, N, "is not a number of trials; they are 1, 2, 3, ...");
    row.trials = N;
    if (columns.target.empty() || std::isnan(row.y)) continue;
    if (columns.fractions) {
      const double k = std::round(row.y * N);
      if (std::abs(row.y * N - k) > 1e-6 * N)
        refuse(table,
               i,
               columns.target,
               row.y,
               fmt::format("of {} trials is not a whole number of successes", format_number(N)));
      row.y = k;
    }
    if (row.y > N)
      refuse(table,
             i,
             columns.target,
             row.y,
             fmt::format("successes are more than the {} trials", format_number(N)));
  }
}

void squeeze(const Table& table, const ObservedColumns& columns, std::vector<Row>& rows) {
  const auto n = static_cast<double>(columns.squeeze);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double& y = rows[i].y;
    if (y < 0 || y > 1)
      refuse(table,
             static_cast<Index>(i),
             columns.target,
             y,
             "cannot be squeezed; --squeeze needs numbers from 0 to 1");
    y = (y * (n - 1) + 0.5) / n;
  }
}

}  // namespace

std::vector<std::string> ObservedColumns::needed_names() const {
  std::vector<std::string> names;
  for (const std::string* name : {&trials, &exposure, &offset})
    if (!name->empty()) names.push_back(*name);
  return names;
}

std::vector<std::string> ObservedColumns::names() const {
  std::vector<std::string> names = needed_names();
  if (!target.empty()) names.insert(names.begin(), target);
  return names;
}

Vector Observed::y() const {
  Vector out(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) out(static_cast<Index>(i)) = rows[i].y;
  return out;
}

Vector Observed::exposure() const {
  Vector out(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) out(static_cast<Index>(i)) = rows[i].exposure;
  return out;
}

Vector Observed::trials() const {
  Vector out(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) out(static_cast<Index>(i)) = rows[i].trials;
  return out;
}

Observed read_observed(const Table& table,
                       const ObservedColumns& columns,
                       Domain domain,
                       bool may_miss) {
  Observed out;
  out.rows.resize(static_cast<std::size_t>(table.rows()));
  if (!columns.target.empty()) {
    const Vector y = columns.levels.empty()
                         ? target_numbers(table, columns.target, may_miss)
                         : target_classes(table, columns.target, columns.levels, may_miss);
    for (Index i = 0; i < y.size(); ++i) out.rows[static_cast<std::size_t>(i)].y = y(i);
  }
  if (!columns.trials.empty()) {
    if (domain != Domain::fraction_of_trials)
      throw UsageError("--trials is for binomial; this likelihood has no trials");
    read_trials(table, columns, out.rows);
  }
  if (!columns.exposure.empty()) {
    if (domain != Domain::count)
      throw UsageError("--exposure is for counts; for other outputs use --offset");
    const Vector exposure = numeric_column(table, columns.exposure);
    for (Index i = 0; i < exposure.size(); ++i) {
      if (!(exposure(i) > 0))
        refuse(table, i, columns.exposure, exposure(i), "is not an exposure; they are above 0");
      out.rows[static_cast<std::size_t>(i)].exposure = exposure(i);
    }
  }
  if (!columns.offset.empty()) out.offset = numeric_column(table, columns.offset);
  if (columns.squeeze > 0 && !columns.target.empty()) squeeze(table, columns, out.rows);
  return out;
}

std::string located(const std::string& message, const Table& table, const std::string& target) {
  if (!message.starts_with("row ")) return message;
  std::size_t end = 4;
  Index row = 0;
  while (end < message.size() && message[end] >= '0' && message[end] <= '9' && row <= table.rows())
    row = 10 * row + (message[end++] - '0');
  if (row < 1 || row > table.rows() || message.compare(end, 2, ": ") != 0) return message;
  std::string rest = message.substr(end + 2);
  if (rest.starts_with("y = ")) rest.erase(0, 4);
  return table.where(row - 1, target) + ": " + rest;
}

void check_rows(const Likelihood& likelihood,
                std::span<const Row> rows,
                const Table& table,
                const std::string& target) {
  try {
    likelihood.check(rows);
  } catch (const DataError& error) {
    throw DataError(located(error.what(), table, target));
  }
}

}  // namespace ggpm::cli
