#include "report/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "report/bands.hpp"
#include "report/html.hpp"
#include "report/row_points.hpp"

namespace ggpm::internal::report {
namespace {

constexpr Index kMapPlaces = 60;
constexpr double kMargin = 0.04;  // beyond the data, to both sides
constexpr int kMapRows = 48;      // more counts than that are taken together

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

std::vector<double> divided(const Vector& v, double by) { return to_vector(v / by); }

// Where the other inputs are, for a caption.
std::string others_words(const Subject& subject, const Input& input) {
  std::string out;
  if (subject.inputs().size() > 1)
    out += fmt::format(" The other inputs are at their median or most frequent level.");
  if (subject.model().domain() == Domain::fraction_of_trials)
    out += fmt::format(" Shown for {} trials.", number(subject.typical_row().trials));
  else if (subject.typical_row().exposure != 1)
    out += fmt::format(" Shown for an exposure of {}.", number(subject.typical_row().exposure));
  if (!input.is_text() && subject.inputs().size() == 1)
    out += fmt::format(
        " Data lie between {} and {}.", number(input.range.low), number(input.range.high));
  return out;
}

RowPoints data_points(const Subject& subject, const Input& input) {
  RowPoints out(subject, "data");
  const Matrix& X = subject.model().inputs();
  const Observations& given = subject.model().observations();
  for (const Index i : rows_to_draw(X.rows()))
    out.add(
        input.is_text() ? static_cast<double>(input.level_of(X, i)) : input.own(X(i, input.first)),
        given.at(i),
        fmt::format("row {}", i + 1));
  return out;
}

Vector mean_or_median(const Predictions& predictions) {
  Vector mean = predictions.mean();
  return mean.hasNaN() ? predictions.quantile(0.5) : mean;
}

// Probability of each value, or of `width` of them together.
struct Cells {
  // Paler than the ink, so that points upon them are seen.
  Layer layer{
      .mark = Mark::boxes, .name = "probability", .opacity = 0.8, .value_name = "probability"};

  Cells(const Subject& subject,
        const Subject::Path& path,
        const Predictions& predictions,
        double first,
        double last,
        double width) {
    const double step = path.places.size() > 1 ? path.places[1] - path.places[0] : 1;
    const double half = step / 2, origin = subject.shown(0, {});
    for (Index k = 0; k < predictions.size(); ++k) {
      const auto p = predictions.row(k);
      const double place = path.places[static_cast<std::size_t>(k)];
      double below = 0;
      for (double y = first; y <= last; y += width) {
        const double upto = p->cdf(y + width - 1), mass = upto - below;
        below = upto;
        if (mass < 5e-4) continue;
        layer.x.push_back(place - half);
        layer.x2.push_back(place + half);
        layer.y.push_back(origin + y - 0.5);
        layer.y2.push_back(origin + y + width - 0.5);
        layer.value.push_back(mass);
        if (!subject.levels().empty()) continue;  // the axis has their names
        layer.label.push_back(
            width == 1 ? fmt::format("{} = {}", subject.target(), y)
                       : fmt::format("{} = {} … {}", subject.target(), y, y + width - 1));
      }
    }
    const double most =
        layer.value.empty() ? 1 : *std::max_element(layer.value.begin(), layer.value.end());
    for (const double mass : layer.value) layer.shade.push_back(std::sqrt(mass / most));
  }
};

// Of ordered levels there is no band: how probable each of them is.
Chart level_chart(const Subject& subject, const Input& input) {
  const Subject::Path path = subject.along(input, kMapPlaces);
  const Predictions predictions = subject.model().predictive(path.rows);
  const auto last = static_cast<double>(subject.levels().size());
  Chart chart{
      .id = "fit",
      .title =
          fmt::format("Probability of each level of {} along {}", subject.target(), input.name),
      .caption = "The stronger the color, the more probable." + others_words(subject, input),
      .x = axis_of(input),
      .y = subject.output_axis(subject.output_title()),
      .layers = {Cells(subject, path, predictions, 1, last, 1).layer}};
  if (subject.inputs().size() == 1) data_points(subject, input).add_to(chart);
  return chart;
}

}  // namespace

// Of classes and trials a new observation is 0, 1, ...: bands of it would be blocks. What is uncertain
// and worth a picture is the probability.
bool shows_probability(const Subject& subject) {
  return subject.domain() == Domain::binary || subject.domain() == Domain::fraction_of_trials;
}

Chart fit_chart(const Subject& subject, const Input& input) {
  if (!subject.levels().empty()) return level_chart(subject, input);
  const Subject::Path path = subject.along(input, subject.places_along(input), kMargin);
  const Predictions predictions = subject.model().predictive(path.rows);
  const double per = subject.per(subject.typical_row());
  const bool probability = shows_probability(subject);
  Chart chart{.id = "fit",
              .title = fmt::format("{} along {}", subject.output_title(), input.name),
              .caption = probability ? "Bands: how sure the model is of the probability."
                                     : "Bands hold 50, 80 and 95 % of new observations.",
              .x = axis_of(input),
              .y = {.title = subject.output_title()}};
  chart.caption += others_words(subject, input);
  const Quantiles quantile = [&](double p) {
    return divided(probability ? Vector(predictions.mean_quantiles({p})) : predictions.quantile(p),
                   per);
  };
  add_bands(chart,
            input,
            path.places,
            quantile,
            divided(mean_or_median(predictions), per),
            probability ? "probability" : "mean");
  if (subject.inputs().size() == 1) data_points(subject, input).add_to(chart);
  if (probability) chart.y.range = Range{-0.03, 1.03};
  return chart;
}

Chart latent_chart(const Subject& subject, const Input& input) {
  const Subject::Path path = subject.along(input, subject.places_along(input), kMargin);
  Vector mean, variance;
  subject.model().latent(path.rows, mean, variance);
  const auto labels = subject.model().likelihood().labels();
  const std::string between =
      fmt::format("{} ({})", labels.back().first, labels.back().second);  // "link (log)"
  Chart chart{.id = "latent",
              .title = fmt::format("Latent function along {}", input.name),
              .caption = fmt::format("The Gaussian process itself, before the {}; bands hold 50, "
                                     "80 and 95 % of its posterior.",
                                     between),
              .x = axis_of(input),
              .y = {.title = "latent η"}};
  const Quantiles quantile = [&](double p) {
    return to_vector(mean + normal_quantile(p) * variance.cwiseSqrt());
  };
  add_bands(chart, input, path.places, quantile, to_vector(mean), "mean");
  return chart;
}

Chart probability_map(const Subject& subject, const Input& input) {
  const Subject::Path path = subject.along(input, kMapPlaces);
  const Predictions predictions = subject.model().predictive(path.rows);
  double top = predictions.quantile(0.995).maxCoeff();
  const bool with_data = subject.inputs().size() == 1 && subject.typical_row().exposure == 1;
  const RowPoints data = data_points(subject, input);
  if (with_data)
    for (const double y : data.outputs()) top = std::max(top, y);
  top = std::min(top, 1e9);
  const double width = std::max(1.0, std::ceil((top + 1) / kMapRows));
  Chart chart{.id = "map",
              .title = fmt::format(
                  "Probability of each value of {} along {}", subject.target(), input.name),
              .caption = fmt::format("The stronger the color, the more probable{}.{}",
                                     width > 1 ? fmt::format("; {} counts to a cell", width) : "",
                                     others_words(subject, input)),
              .x = axis_of(input),
              .y = {.title = subject.target()},
              .layers = {Cells(subject, path, predictions, 0, top, width).layer}};
  if (with_data) data.add_to(chart);
  return chart;
}

}  // namespace ggpm::internal::report
