#include "ggpm/observations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/hash.hpp"

namespace ggpm {
namespace {

bool is_trivial(const Vector& values, double trivial) {
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return value == trivial || (std::isnan(value) && std::isnan(trivial));
  });
}

}  // namespace

Observations Observations::of(std::span<const Row> rows) {
  const auto n = static_cast<Index>(rows.size());
  Observations out{Vector(n), Vector(n), Vector(n), Vector(), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const Row& row = rows[static_cast<std::size_t>(i)];
    out.y[i] = row.y;
    out.trials[i] = row.trials;
    out.exposure[i] = row.exposure;
    out.weight[i] = row.weight;
    out.censored[i] = row.censored;
    out.upper[i] = row.upper;
  }
  out.drop_trivial();
  return out;
}

Index Observations::size() const {
  Index most = 0;
  for (const ObservationField& field : kObservationFields)
    most = std::max(most, (this->*field.values).size());
  return most;
}

Row Observations::at(Index i) const {
  Row row;
  if (y.size() != 0) row.y = y[i];
  if (trials.size() != 0) row.trials = trials[i];
  if (exposure.size() != 0) row.exposure = exposure[i];
  if (weight.size() != 0) row.weight = weight[i];
  if (censored.size() != 0) row.censored = censored[i];
  if (upper.size() != 0) row.upper = upper[i];
  return row;
}

std::vector<Row> Observations::rows() const {
  const Index n = size();
  std::vector<Row> out;
  out.reserve(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) out.push_back(at(i));
  return out;
}

bool Observations::any_censored() const {
  return (censored.array() != 0).any() ||
         std::any_of(upper.begin(), upper.end(), [](double end) { return !std::isnan(end); });
}

Observations Observations::subset(std::span<const Index> chosen) const {
  Observations out;
  for (const ObservationField& field : kObservationFields) {
    const Vector& from = this->*field.values;
    if (from.size() == 0) continue;
    Vector& to = out.*field.values;
    to.resize(static_cast<Index>(chosen.size()));
    for (Index i = 0; i < to.size(); ++i) to[i] = from[chosen[static_cast<std::size_t>(i)]];
  }
  return out;
}

void Observations::append(const Observations& more) {
  for (const ObservationField& field : kObservationFields) {
    Vector& mine = this->*field.values;
    const Vector& others = more.*field.values;
    const Index before = mine.size();
    mine.conservativeResize(before + others.size());
    mine.tail(others.size()) = others;
  }
}

void Observations::drop_trivial() {
  for (Vector Observations::*values :
       {&Observations::trials, &Observations::exposure, &Observations::weight})
    if (is_trivial(this->*values, 1)) (this->*values).resize(0);
  if (is_trivial(censored, 0)) censored.resize(0);
  if (is_trivial(upper, std::numeric_limits<double>::quiet_NaN())) upper.resize(0);
}

void Observations::check(Index rows, std::string_view what, bool y_may_miss) const {
  for (const auto& [name, member, trivial] : kObservationFields) {
    const Vector& values = this->*member;
    if (values.size() == 0) continue;
    if (values.size() != rows)
      throw DataError(
          fmt::format("{}: {} has {} numbers for {} rows", what, name, values.size(), rows));
    const bool may_miss = std::isnan(trivial) || (y_may_miss && values.data() == y.data());
    for (Index i = 0; i < rows; ++i)
      if (!std::isfinite(values[i]) && !(may_miss && std::isnan(values[i])))
        throw DataError({.row = i + 1, .argument = name},
                        fmt::format("{} is not a finite number", values[i]));
  }
}

std::string data_hash(const Dataset& data) {
  internal::data::Hash hash;
  for (const double value : data.X.reshaped()) hash.add(value);
  for (const Row& row : data.observed.rows())
    for (const double value : {row.y, row.trials, row.exposure}) hash.add(value);
  for (const Vector* values : {&data.observed.offset,
                               &data.observed.weight,
                               &data.observed.censored,
                               &data.observed.upper})
    for (const double value : *values) hash.add(value);
  return hash.text();
}

Index row_number(const std::vector<Index>& row_numbers, Index i) {
  return row_numbers.empty() ? i + 1 : row_numbers[static_cast<std::size_t>(i)];
}

std::string input_name(const std::vector<std::string>& columns, Index column) {
  const auto k = static_cast<std::size_t>(column);
  return k < columns.size() ? columns[k] : "x" + std::to_string(column + 1);
}

Dataset Dataset::subset(std::span<const Index> rows) const {
  Dataset out{.X = Matrix(static_cast<Index>(rows.size()), X.cols()),
              .observed = observed.subset(rows),
              .columns = columns,
              .source = source};
  for (const Index row : rows) out.row_numbers.push_back(row_number(row_numbers, row));
  for (Index i = 0; i < out.X.rows(); ++i) out.X.row(i) = X.row(rows[static_cast<std::size_t>(i)]);
  return out;
}

void Dataset::append(const Dataset& more) {
  if (!row_numbers.empty() || !more.row_numbers.empty()) {
    while (std::ssize(row_numbers) < X.rows()) row_numbers.push_back(std::ssize(row_numbers) + 1);
    for (Index i = 0; i < more.X.rows(); ++i)
      row_numbers.push_back(row_number(more.row_numbers, i));
  }
  X.conservativeResize(X.rows() + more.X.rows(), more.X.cols());
  X.bottomRows(more.X.rows()) = more.X;
  observed.append(more.observed);
}

void Dataset::check(std::string_view what, bool y_may_miss) const {
  observed.check(X.rows(), what, y_may_miss);
  if (X.allFinite()) return;
  for (Index j = 0; j < X.cols(); ++j)
    for (Index i = 0; i < X.rows(); ++i)
      if (!std::isfinite(X(i, j)))
        throw DataError({.row = i + 1, .column = input_name(columns, j)},
                        fmt::format("{} is not a finite number", X(i, j)));
}

}  // namespace ggpm
