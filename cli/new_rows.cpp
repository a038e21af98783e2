#include "cli/new_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/text.hpp"

namespace ggpm::cli {
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

ObservedColumns observed_columns(const SavedModel& saved) {
  return {.target = target_of(saved),
          .trials = saved.roles.trials,
          .exposure = saved.roles.exposure,
          .offset = saved.roles.offset,
          .levels = saved.roles.levels,
          .fractions = saved.roles.fractions,
          .squeeze = saved.roles.squeeze ? saved.model.rows() : 0};
}

ColumnRoles column_roles(const ObservedColumns& columns) {
  ColumnRoles roles;
  roles.target = columns.target;
  roles.trials = columns.trials;
  roles.exposure = columns.exposure;
  roles.offset = columns.offset;
  roles.levels = columns.levels;
  roles.fractions = columns.fractions;
  roles.squeeze = columns.squeeze > 0;
  return roles;
}

void BlockReader::require(const std::string& column, const std::string& why) const {
  if (known_.contains(column)) return;
  const auto& names = reader_.names();
  throw DataError(fmt::format("{}: column {} is missing; {}{}",
                              source_,
                              data::in_quotes(column),
                              why,
                              data::did_you_mean(column, names)));
}

BlockReader::BlockReader(const SavedModel& saved,
                         const std::string& path,
                         Target target,
                         MissingPolicy missing)
    : saved_(saved),
      columns_(observed_columns(saved)),
      design_(design_of(saved)),
      reader_(path),
      known_(reader_.names().begin(), reader_.names().end()),
      source_(path == "-" ? "standard input" : path),
      missing_(missing),
      target_required_(target == Target::required) {
  for (const std::string& name : design_.column_names())
    require(name, "it is an input of the model");
  if (!columns_.trials.empty()) require(columns_.trials, "the model was fitted with its trials");
  if (!columns_.exposure.empty())
    require(columns_.exposure, "the model was fitted with its exposure");
  if (!columns_.offset.empty()) require(columns_.offset, "the model was fitted with its offset");
  if (target_required_ && columns_.target.empty())
    throw DataError(
        "the target of the model has no name, and y is one of its inputs; fit it to a "
        "table with a named target");
  if (target_required_) require(columns_.target, "it is the target of the model");
  const auto& names = reader_.names();
  has_target_ = std::find(names.begin(), names.end(), columns_.target) != names.end();
  if (!has_target_) columns_.target.clear();

  std::vector<std::string> wanted = design_.column_names(), text = design_.text_column_names();
  for (const std::string& name : columns_.names()) wanted.push_back(name);
  if (has_target_ && !columns_.levels.empty() && columns_.levels[0] != "-1")
    text.push_back(columns_.target);
  reader_.select(wanted, text);
}

// A block in which no row is complete is not the end: the next one may have some.
std::optional<Table> BlockReader::next_table() {
  while (std::optional<Table> table = reader_.next(kBlockRows)) {
    if (missing_ == MissingPolicy::error) return table;
    std::vector<Index> kept;
    for (Index row = 0; row < table->rows(); ++row) {
      const auto misses = [&](const Column& column) { return column.missing(row); };
      if (std::none_of(table->columns().begin(), table->columns().end(), misses))
        kept.push_back(row);
    }
    dropped_ += table->rows() - static_cast<Index>(kept.size());
    if (!kept.empty()) return table->select_rows(kept);
  }
  return std::nullopt;
}

std::optional<Block> BlockReader::next() {
  const std::optional<Table> table = next_table();
  if (!table) {
    if (!any_)
      throw DataError(source_ +
                      (dropped_ > 0 ? ": every row has missing cells" : ": there are no rows"));
    return std::nullopt;
  }
  any_ = true;
  const Observed observed =
      read_observed(*table, columns_, saved_.model.domain(), !target_required_);
  Block block;
  block.rows.X = design_.apply(*table);
  block.rows.offset = observed.offset;
  if (!columns_.exposure.empty()) block.rows.exposure = observed.exposure();
  if (!columns_.trials.empty()) block.rows.trials = observed.trials();
  if (!has_target_) return block;
  block.y = observed.y();
  if (saved_.model.specification().warp.empty())
    for (std::size_t i = 0; i < observed.rows.size(); ++i)
      if (!std::isnan(observed.rows[i].y)) {
        const std::vector<Index> one = {static_cast<Index>(i)};
        try {
          saved_.model.likelihood().check({&observed.rows[i], 1});
        } catch (const DataError& error) {
          throw DataError(located(error.what(), table->select_rows(one), columns_.target));
        }
      }
  return block;
}

}  // namespace ggpm::cli
