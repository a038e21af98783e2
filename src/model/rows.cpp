#include "model/rows.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/state.hpp"

namespace ggpm::internal {
namespace {

// Inputs that went through a design have its names. Numbers without names may be anything: those of
// a table, which the model would take for standardized ones.
void require_design(const Dataset& rows, const ModelState& state) {
  if (!state.designed || rows.columns == state.task.data->columns) return;
  throw UsageError(
      "predict: this model was saved with how its inputs are made of the columns of a table "
      "(centered, scaled, a column a level), and these inputs do not say that they were made so; "
      "use SavedModel::rows(table), or RowReader");
}

void check_new_rows(const Dataset& rows, const ModelState& state) {
  const Index d = state.task.data->X.cols();
  if (rows.X.cols() != d)
    throw DataError(fmt::format("predict: the model has {} inputs, not {}", d, rows.X.cols()));
  require_design(rows, state);
  rows.check("predict", /*y_may_miss=*/true);
  const Vector& trials = rows.observed.trials;
  for (Index i = 0; i < trials.size(); ++i)
    if (!(trials[i] >= 1 && trials[i] == std::floor(trials[i])))
      throw DataError({.row = i + 1, .argument = "trials"},
                      fmt::format("{}; trials are whole numbers >= 1", trials[i]));
}

}  // namespace

PreparedRows prepare_rows(const Dataset& rows, const ModelState& state) {
  check_new_rows(rows, state);
  const Likelihood& likelihood = *state.task.parts.likelihood;
  PreparedRows out{.observed = fold_exposure(rows.observed, likelihood),
                   .prior_mean = state.task.parts.mean.evaluate(rows.X),
                   .shift = Vector::Zero(rows.X.rows())};
  if (likelihood.domain() != Domain::fraction_of_trials) out.observed.trials = {};
  out.observed.weight = {};  // a prediction is of one row
  if (out.observed.offset.size() != 0) out.shift = out.observed.offset;
  return out;
}

}  // namespace ggpm::internal

namespace ggpm {

Matrix SavedModel::inputs(const Table& table) const {
  if (design) return design->apply(table);
  Matrix X(table.rows(), model.dimensions());
  for (Index j = 0; j < X.cols(); ++j)
    X.col(j) = numeric_column(table, input_name(model.columns(), j));
  return X;
}

Dataset SavedModel::rows(const Table& table) const {
  ColumnRoles found = roles;
  if (!table.has(found.target)) found.target.clear();
  return {.X = inputs(table),
          .observed = read_observations(table, found, model.domain(), /*y_may_miss=*/true),
          .columns = model.columns(),
          .source = table.source()};
}

}  // namespace ggpm
