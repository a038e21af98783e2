#include "ggpm/row_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

// A model that was made from arrays is given columns of the same names.
Design design_of(const SavedModel& saved) {
  if (saved.design) return *saved.design;
  std::vector<DesignColumn> columns;
  for (const std::string& name : saved.model.columns()) columns.push_back({.name = name});
  return Design(std::move(columns));
}

// A target that was an array has no name: y, unless that is one of the inputs.
std::string target_of(const SavedModel& saved) {
  if (!saved.roles.target.empty()) return saved.roles.target;
  const std::vector<std::string> inputs = design_of(saved).column_names();
  return std::find(inputs.begin(), inputs.end(), "y") == inputs.end() ? "y" : "";
}

}  // namespace

void RowReader::require(const std::string& column, const std::string& why) const {
  if (known_.contains(column)) return;
  throw DataError({.source = source_},
                  fmt::format("column {} is missing; {}{}",
                              in_quotes(column),
                              why,
                              did_you_mean(column, reader_.names())));
}

GeneralizedGP fit_table(TrainingTable& training,
                        const Specification& specification,
                        const FitOptions& options) {
  try {
    return GeneralizedGP::fit(std::move(training.data), specification, options);
  } catch (const DataError& error) {
    throw located(error, training.table, training.roles);
  }
}

RowReader::RowReader(const SavedModel& saved,
                     const std::string& path,
                     Target target,
                     MissingPolicy missing)
    : saved_(saved),
      roles_(saved.roles),
      design_(design_of(saved)),
      reader_(path),
      known_(reader_.names().begin(), reader_.names().end()),
      source_(path == "-" ? "standard input" : path),
      missing_(missing),
      target_required_(target == Target::required) {
  roles_.target = target_of(saved);
  for (const std::string& name : design_.column_names())
    require(name, "it is an input of the model");
  roles_.weight.clear();                                        // of a fit
  for (std::string* known : {&roles_.censored, &roles_.upper})  // not there: observed
    if (!known_.contains(*known)) known->clear();
  for (const ObservationField& field : kObservationFields) {
    const std::string column = roles_.column_of(field.name);
    if (!column.empty() && column != roles_.target)
      require(column, fmt::format("the model was fitted with its {}", field.name));
  }
  if (target_required_ && roles_.target.empty())
    throw DataError(
        "the target of the model has no name, and y is one of its inputs; fit it to a table with a "
        "named target");
  if (target_required_) require(roles_.target, "it is the target of the model");
  has_target_ = !roles_.target.empty() && known_.contains(roles_.target);
  if (!has_target_) roles_.target.clear();
}

void RowReader::keep(const std::vector<std::string>& columns) {
  for (const std::string& name : columns) require(name, "it is to be kept");
  carried_ = columns;
}

// Once, before the first block: what is not selected is not kept of the bytes that were read.
void RowReader::select() {
  if (selected_) return;
  selected_ = true;
  std::vector<std::string> wanted = design_.column_names(), text = design_.text_column_names();
  for (const std::string& name : roles_.names()) wanted.push_back(name);
  if (has_target_ && !roles_.levels.empty() && roles_.levels[0] != "-1")
    text.push_back(roles_.target);
  // What the model does not read stays as it is written: 007 is no 7.
  std::erase_if(carried_, [&](const std::string& name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  });
  wanted.insert(wanted.end(), carried_.begin(), carried_.end());
  text.insert(text.end(), carried_.begin(), carried_.end());
  reader_.select(wanted, text);
}

// A block in which no row is complete is not the end: the next one may have some.
std::optional<Table> RowReader::next_table() {
  select();
  const Index at_once = saved_.model.engine().predict_rows;
  while (std::optional<Table> table = reader_.next(at_once)) {
    if (missing_ == MissingPolicy::error) return table;
    std::vector<Index> kept;
    for (Index row = 0; row < table->rows(); ++row) {
      const auto misses = [&](const Column& column) {
        return column.name != roles_.upper && column.missing(row) &&
               std::find(carried_.begin(), carried_.end(), column.name) == carried_.end();
      };
      if (std::none_of(table->columns().begin(), table->columns().end(), misses))
        kept.push_back(row);
    }
    dropped_ += table->rows() - std::ssize(kept);
    if (std::ssize(kept) == table->rows()) return table;
    if (!kept.empty()) return table->select_rows(kept);
  }
  return std::nullopt;
}

void RowReader::check_outputs(const Observations& observed, const Table& table) const {
  std::vector<Index> known;
  for (Index i = 0; i < observed.y.size(); ++i)
    if (!std::isnan(observed.y[i])) known.push_back(i);
  try {
    saved_.model.likelihood().check(observed.subset(known).rows());
  } catch (const DataError& error) {
    throw located(error, table.select_rows(known), roles_);
  }
}

std::optional<Dataset> RowReader::next() {
  std::optional<Table> table = next_table();
  if (!table) {
    if (any_) return std::nullopt;
    throw DataError({.source = source_},
                    dropped_ > 0 ? "every row has missing cells" : "there are no rows");
  }
  any_ = true;
  Dataset out{
      .X = design_.apply(*table, &unseen_),
      .observed = read_observations(*table, roles_, saved_.model.domain(), !target_required_),
      .columns = saved_.model.columns(),
      .source = source_,
      .row_numbers = table->row_numbers()};
  if (has_target_) check_outputs(out.observed, *table);
  kept_ = *std::move(table);
  return out;
}

}  // namespace ggpm
