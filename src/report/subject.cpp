#include "report/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ggpm/classes.hpp"
#include "ggpm/score.hpp"
#include "model/state.hpp"
#include "report/html.hpp"

namespace ggpm::internal::report {
namespace {

double quantile(std::vector<double> values, double p) {
  const auto place = values.begin() + std::lround(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

std::vector<DesignColumn> columns_of(const SavedModel& saved) {
  if (saved.design) return saved.design->columns();
  std::vector<DesignColumn> out;
  for (Index j = 0; j < saved.model.dimensions(); ++j)
    out.push_back({.name = input_name(saved.model.columns(), j)});
  return out;
}

std::vector<Input> inputs_of(const SavedModel& saved) {
  std::vector<Input> out;
  Index first = 0;
  const Matrix& X = saved.model.inputs();
  for (const DesignColumn& column : columns_of(saved)) {
    Input input{.name = shorten(column.name),
                .first = first,
                .width = column.width(),
                .center = column.center,
                .scale = column.scale};
    if (!column.coded)
      for (const std::string& level : column.levels) input.levels.push_back(shorten(level, 24));
    if (!input.is_text()) {
      const std::vector<double> x = to_vector(X.col(first));
      input.range = {input.own(X.col(first).minCoeff()), input.own(X.col(first).maxCoeff())};
      input.bulk = {input.own(quantile(x, 0.01)), input.own(quantile(x, 0.99))};
    }
    first += input.width;
    out.push_back(std::move(input));
  }
  return out;
}

}  // namespace

std::vector<std::string> level_names(const SavedModel& saved) {
  const std::vector<std::string>& levels = saved.roles.levels;
  std::vector<std::string> out;
  for (int k = 1; k <= saved.model.likelihood().levels(); ++k)
    out.push_back(static_cast<std::size_t>(k) <= levels.size()
                      ? shorten(levels[static_cast<std::size_t>(k - 1)], 24)
                      : std::to_string(k));
  return out;
}

Index Input::level_of(const Matrix& X, Index row) const {
  Index best = 0;
  X.row(row).segment(first, static_cast<Index>(levels.size())).maxCoeff(&best);
  return best;
}

std::string Input::value(const Matrix& X, Index row) const {
  return is_text() ? levels[static_cast<std::size_t>(level_of(X, row))]
                   : number(own(X(row, first)), 6);
}

Subject::Subject(const SavedModel& saved)
    : saved_(saved),
      inputs_(inputs_of(saved)),
      target_(shorten(saved.roles.target.empty() ? "y" : saved.roles.target)),
      domain_(saved.model.domain()) {
  const Matrix& X = model().inputs();
  typical_.resize(X.cols());
  for (const Input& input : inputs_) {
    if (input.is_text()) {
      const auto block = X.middleCols(input.first, input.width);
      Index best = 0;
      block.colwise().sum().maxCoeff(&best);
      typical_.segment(input.first, block.cols()).setZero();
      typical_[input.first + best] = 1;
    } else {
      typical_[input.first] = median(to_vector(X.col(input.first)));
    }
  }
  const Observations& given = model().observations();
  if (domain_ == Domain::ordinal && !has_several_latents(model().likelihood()))
    levels_ = level_names(saved);
  for (const Row& row : given.rows()) censored_ += row.is_censored() ? 1 : 0;
  has_exposure_ = given.exposure.size() > 0;
  if (has_exposure_) typical_row_.exposure = median(to_vector(given.exposure));
  if (given.trials.size() > 0) typical_row_.trials = median(to_vector(given.trials));
  if (given.offset.size() > 0) typical_offset_ = median(to_vector(given.offset));
}

double Subject::per(const Row& row) const {
  return model().domain() == Domain::fraction_of_trials ? row.trials : row.exposure;
}

Axis Subject::output_axis(std::string title) const {
  return {.title = std::move(title), .categories = levels_};
}

std::string Subject::output_words(double shown, int digits) const {
  if (levels_.empty()) return number(shown, digits);
  const double last = static_cast<double>(levels_.size()) - 1;
  return levels_[static_cast<std::size_t>(std::clamp(std::round(shown), 0.0, last))];
}

std::string Subject::known_words(const Row& row) const {
  std::string y = output_words(shown(row.y, row), 6);
  if (row.is_interval()) return fmt::format("{} … {}", y, number(shown(row.upper, row), 6));
  if (row.censored == 0) return y;
  return fmt::format("{} {}", row.censored > 0 ? "at least" : "at most", y);
}

std::string Subject::output_title() const {
  if (model().domain() == Domain::fraction_of_trials) return target_ + ", share of the trials";
  if (model().domain() == Domain::binary)
    return saved_.roles.levels.size() == 2
               ? fmt::format("probability of {}", shorten(saved_.roles.levels[1], 24))
               : fmt::format("probability of {} = 1", target_);
  return has_exposure_ ? target_ + " per unit of exposure" : target_;
}

void Subject::set(Matrix& X, const Input& input, double place) {
  if (input.is_text()) {
    X.middleCols(input.first, input.width).setZero();
    X.col(input.first + static_cast<Index>(place)).setOnes();
  } else {
    X.col(input.first).setConstant((place - input.center) / input.scale);
  }
}

std::vector<double> Subject::places(const Input& input, const Range& range, Index count) {
  std::vector<double> out;
  if (input.is_text()) count = static_cast<Index>(input.levels.size());
  for (Index k = 0; k < count; ++k)
    out.push_back(input.is_text()
                      ? static_cast<double>(k)
                      : range.low + (range.high - range.low) * static_cast<double>(k) /
                                        static_cast<double>(std::max<Index>(count - 1, 1)));
  return out;
}

// Every input at its median or most frequent level, and so are offset, exposure and trials.
Dataset Subject::typical_rows(Index count) const {
  Dataset out{.X = typical_.replicate(count, 1), .columns = model().columns()};
  if (typical_offset_ != 0) out.observed.offset = Vector::Constant(count, typical_offset_);
  if (has_exposure_) out.observed.exposure = Vector::Constant(count, typical_row_.exposure);
  if (model().domain() == Domain::fraction_of_trials)
    out.observed.trials = Vector::Constant(count, typical_row_.trials);
  return out;
}

Subject::Path Subject::along(const Input& input, Index count, double margin) const {
  Path out;
  const double air = margin * (input.range.high - input.range.low);
  out.places = places(input, {input.range.low - air, input.range.high + air}, count);
  count = static_cast<Index>(out.places.size());
  out.rows = typical_rows(count);
  for (Index k = 0; k < count; ++k) {
    Matrix row = typical_;
    set(row, input, out.places[static_cast<std::size_t>(k)]);
    out.rows.X.row(k) = row;
  }
  return out;
}

Index Subject::places_along(const Input& input) const {
  constexpr double fewest = 120, most = 800, per_scale = 8;
  if (input.is_text()) return static_cast<Index>(input.levels.size());
  double shortest = std::numeric_limits<double>::infinity();  // in units of X
  for (const FittedParameter& p : model().parameters()) {
    const std::vector<Index>& seen = p.parameter.inputs;
    if (std::find(seen.begin(), seen.end(), input.first) == seen.end()) continue;
    if (p.parameter.role == Role::lengthscale || p.parameter.role == Role::period)
      shortest = std::min(shortest, p.parameter.value / p.unit);
  }
  const double width = (input.range.high - input.range.low) / input.scale;
  return static_cast<Index>(std::clamp(per_scale * width / shortest, fewest, most));
}

Dataset Subject::plane(const Input& a, const Input& b, Index side) const {
  const std::vector<double> x = places(a, a.range, side), y = places(b, b.range, side);
  Dataset out = typical_rows(side * side);
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) {
      out.X(i * side + j, a.first) = (x[static_cast<std::size_t>(j)] - a.center) / a.scale;
      out.X(i * side + j, b.first) = (y[static_cast<std::size_t>(i)] - b.center) / b.scale;
    }
  return out;
}

std::vector<Subject::LengthScale> Subject::length_scales() const {
  std::vector<LengthScale> out;
  const auto is_constant = [&](Index input) {  // a level that no row has
    const auto x = model().inputs().col(input);
    return x.maxCoeff() == x.minCoeff();
  };
  for (const FittedParameter& p : model().parameters())
    if (p.parameter.role == Role::lengthscale && !p.parameter.list.empty() &&
        !is_constant(p.parameter.input()))
      out.push_back({p, p.parameter.name});
  // Each input once: they are known by the names of the inputs.
  std::set<Index> seen;
  for (const LengthScale& scale : out) seen.insert(scale.fitted.parameter.input());
  if (seen.size() == out.size())
    for (LengthScale& scale : out)
      scale.input = shorten(input_name(model().columns(), scale.fitted.parameter.input()), 24);
  return out;
}

double Subject::response(double eta) const {
  return shown(model().likelihood().typical({}, eta), {});
}

}  // namespace ggpm::internal::report
