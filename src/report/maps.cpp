#include "report/maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/coordinates.hpp"
#include "report/html.hpp"

namespace ggpm::internal::report {
namespace {

constexpr Index kSide = 40;
constexpr double kPalest = 0.06;           // so that the lowest is still there
constexpr std::size_t kLongestTitle = 24;  // of an axis, as high as a map on a phone

// From pale to full. Values that reach over two orders of magnitude by their logarithms.
class Shades {
 public:
  explicit Shades(const Vector& values) {
    for (const double v : values) {
      if (!std::isfinite(v)) continue;
      low_ = std::min(low_, v);
      high_ = std::max(high_, v);
    }
    log_ = low_ > 0 && high_ > 200 * low_;
  }
  double operator()(double value) const {
    const auto at = [this](double v) { return log_ ? std::log(std::max(v, low_)) : v; };
    const double share = high_ > low_ ? (at(value) - at(low_)) / (at(high_) - at(low_)) : 0.5;
    return kPalest + (1 - kPalest) * std::clamp(share, 0.0, 1.0);
  }
  template <class Words>
  std::string words(const Words& words) const {
    return fmt::format("From {} (pale) to {} (full color){}.",
                       words(low_),
                       words(high_),
                       log_ ? ", by their logarithms" : "");
  }

 private:
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
  bool log_ = false;
};

struct Plane {
  const Subject& subject;
  const MapInputs& over;

  Chart chart(const char* id, std::string title, std::string caption) const {
    return {.id = id,
            .title = std::move(title),
            .caption = std::move(caption),
            .x = axis_of(*over.x),
            .y = axis_of(*over.y),
            .aspect = over.aspect};
  }

  // With the outer halves of the cells at its ends, so that rows there are seen whole.
  static Axis axis_of(const Input& input) {
    const double half = (input.range.high - input.range.low) / (2 * (kSide - 1));
    return {.title = shorten(input.name, kLongestTitle),
            .range = Range{input.range.low - half, input.range.high + half}};
  }

  Layer cells(const Vector& values, const Shades& shade, const std::string& name) const {
    Layer out{.mark = Mark::boxes, .name = name, .value = to_vector(values), .value_name = name};
    const std::vector<double> x = Subject::places(*over.x, over.x->range, kSide),
                              y = Subject::places(*over.y, over.y->range, kSide);
    const double dx = (x[1] - x[0]) / 2, dy = (y[1] - y[0]) / 2;
    for (Index i = 0; i < kSide * kSide; ++i) {
      const double cx = x[static_cast<std::size_t>(i % kSide)],
                   cy = y[static_cast<std::size_t>(i / kSide)];
      out.x.push_back(cx - dx);
      out.x2.push_back(cx + dx);
      out.y.push_back(cy - dy);
      out.y2.push_back(cy + dy);
      out.shade.push_back(shade(values[i]));
    }
    return out;
  }

  // Of rows that were observed, or censored.
  Layer data(bool censored) const {
    Layer out{.mark = Mark::points,
              .symbol = censored ? Symbol::ring : Symbol::dot,
              .name = censored ? "censored" : "rows",
              .ink = Ink::data,
              .value_name = subject.target()};
    const GeneralizedGP& model = subject.model();
    for (const Index i : rows_to_draw(model.rows())) {
      const Row row = model.observations().at(i);
      if (row.is_censored() != censored) continue;
      out.x.push_back(over.x->own(model.inputs()(i, over.x->first)));
      out.y.push_back(over.y->own(model.inputs()(i, over.y->first)));
      out.value.push_back(row.y / subject.per(row));
      out.label.push_back(subject.levels().empty() && !row.is_censored()
                              ? fmt::format("row {}", i + 1)
                              : fmt::format("row {}: {}", i + 1, subject.known_words(row)));
    }
    return out;
  }
};

// Half the width of the 95 % interval of the mean; of new observations where that has none.
Vector uncertainty(const Predictions& predictions) {
  try {
    const Matrix ends = predictions.mean_quantiles({0.025, 0.975});
    if (!ends.hasNaN()) return (ends.col(1) - ends.col(0)) / 2;
  } catch (const UsageError&) {
    // a formula whose mean is not monotone in the latent
  }
  const Matrix ends = predictions.quantiles({0.025, 0.975});
  return (ends.col(1) - ends.col(0)) / 2;
}

}  // namespace

MapInputs map_inputs(const std::vector<const Input*>& inputs) {
  MapInputs out, place;
  for (const Input* input : inputs) {
    if (!input->is_text() && data::is_longitude(input->name)) place.x = input;
    if (!input->is_text() && data::is_latitude(input->name)) place.y = input;
    if (input->is_text() || !(input->range.low < input->range.high)) continue;
    if (out.x == nullptr)
      out.x = input;
    else if (out.y == nullptr)
      out.y = input;
  }
  if (place.x == nullptr || place.y == nullptr) return out;
  // A degree of longitude is shorter than one of latitude, but at the equator.
  const double middle = (place.y->range.low + place.y->range.high) / 2;
  const double east =
      (place.x->range.high - place.x->range.low) * std::cos(middle * std::numbers::pi / 180);
  place.aspect = std::clamp((place.y->range.high - place.y->range.low) / east, 0.3, 1.6);
  return std::isfinite(place.aspect) ? place : out;
}

std::vector<Chart> map_charts(const Subject& subject, const MapInputs& over) {
  const Plane plane{subject, over};
  const Predictions predictions =
      subject.model().predictive(subject.plane(*over.x, *over.y, kSide));
  const double per = subject.per(subject.typical_row());
  Vector mean = predictions.mean() / per;
  if (mean.hasNaN()) mean = predictions.quantile(0.5) / per;
  const Vector half = uncertainty(predictions) / per;
  const std::string held = subject.inputs().size() > 2
                               ? " The other inputs are at their median or most frequent level."
                               : "";
  const Shades of_mean(mean), of_half(half);
  const auto output = [&](double y) { return subject.output_words(subject.shown(y, {})); };
  const auto width = [&](double value) {
    return number(value) + (subject.levels().empty() ? "" : " levels");
  };
  Chart predicted = plane.chart("plane",
                                fmt::format("{}: what the model predicts", subject.output_title()),
                                of_mean.words(output) + held);
  predicted.layers = {plane.cells(mean, of_mean, "mean")};
  Chart sure = plane.chart("plane-uncertainty",
                           "How sure it is: half the 95 % interval of the mean",
                           of_half.words(width));
  sure.layers = {plane.cells(half, of_half, "half interval")};
  const Observations& given = subject.model().observations();
  Vector y = given.y;
  for (Index i = 0; i < y.size(); ++i) y[i] /= subject.per(given.at(i));
  const Shades of_data(y);
  Chart rows = plane.chart(
      "plane-data", fmt::format("{}: the data", subject.output_title()), of_data.words(output));
  for (const bool censored : {false, true}) {
    Layer data = plane.data(censored);
    if (data.x.empty()) continue;
    data.opacity = 0.6;
    sure.layers.push_back(data);
    data.opacity = 1;
    for (const double value : data.value)  // a dot is small: paler ones are not seen
      data.shade.push_back(0.3 + 0.7 * of_data(value));
    rows.layers.push_back(std::move(data));
  }
  return {std::move(predicted), std::move(sure), std::move(rows)};
}

}  // namespace ggpm::internal::report
