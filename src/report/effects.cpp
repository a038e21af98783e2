// Partial dependence, and how much each input matters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "gram/lapack.hpp"
#include "report/bands.hpp"
#include "report/curves.hpp"
#include "report/html.hpp"

namespace ggpm::internal::report {
namespace {

constexpr Index kPlaces = 25, kRows = 30, kDraws = 200;

// Training rows that stand for all, evenly spread over the table.
Matrix some_rows(const Matrix& X) {
  const Index count = std::min(kRows, X.rows());
  Matrix out(count, X.cols());
  for (Index k = 0; k < count; ++k) out.row(k) = X.row(k * X.rows() / count);
  return out;
}

// Standard normal numbers, each with its mirror image, the same for every place: what differs from
// place to place is the model, not the draw.
Matrix normal_draws(Index rows) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Matrix out(rows, kDraws);
  for (Index k = 0; k < kDraws / 2; ++k) {
    for (Index i = 0; i < rows; ++i) out(i, k) = normal(random);
    out.col(kDraws - 1 - k) = -out.col(k);
  }
  return out;
}

// A root of a covariance that may be singular: rows that coincide once an input is moved.
Matrix root(const Matrix& covariance) {
  Matrix vectors = covariance;
  const Vector values = lapack::eigen_symmetric(vectors);
  return vectors * values.cwiseMax(0).cwiseSqrt().asDiagonal() * vectors.transpose();
}

Chart bars(std::string id,
           std::string title,
           std::string caption,
           const std::string& x_title,
           std::vector<std::pair<double, std::string>> items,
           Range range) {
  std::stable_sort(
      items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Chart chart{.id = std::move(id),
              .title = std::move(title),
              .caption = std::move(caption),
              .x = {.title = x_title, .range = range},
              .height = 70 + 26 * static_cast<double>(items.size())};
  Layer layer{.mark = Mark::boxes, .opacity = 0.85};
  for (const auto& [size, name] : items) {
    const auto k = static_cast<double>(chart.y.categories.size());
    chart.y.categories.push_back(name);
    layer.x.push_back(range.low);
    layer.x2.push_back(size);
    layer.y.push_back(k - 0.32);
    layer.y2.push_back(k + 0.32);
    layer.label.push_back(name);
  }
  chart.layers.push_back(std::move(layer));
  return chart;
}

}  // namespace

InputEffect partial_dependence(const Subject& subject, const Input& input) {
  const GeneralizedGP& model = subject.model();
  Matrix X = some_rows(model.inputs());
  const Matrix normal = normal_draws(X.rows());
  const std::vector<double> places = Subject::places(input, input.bulk, kPlaces);
  Matrix average(static_cast<Index>(places.size()), kDraws);
  for (Index k = 0; k < average.rows(); ++k) {
    Subject::set(X, input, places[static_cast<std::size_t>(k)]);
    Vector mean, variance;
    const Dataset rows{.X = X, .columns = model.columns()};
    model.latent(rows, mean, variance);
    mean.array() += subject.typical_offset();
    const Matrix eta = (root(model.latent_covariance(rows)) * normal).colwise() + mean;
    for (Index j = 0; j < kDraws; ++j) {
      double sum = 0;
      for (const double value : eta.col(j)) sum += subject.response(value);
      average(k, j) = sum / static_cast<double>(X.rows());
    }
  }
  for (auto row : average.rowwise()) std::sort(row.begin(), row.end());
  const Quantiles quantile = [&](double p) {
    return to_vector(average.col(std::clamp<Index>(
        static_cast<Index>(std::lround(p * static_cast<double>(kDraws) - 0.5)), 0, kDraws - 1)));
  };
  InputEffect out{.input = &input};
  out.chart = {.id = fmt::format("effect-{}", input.first),
               .title = input.name,
               .x = axis_of(input),
               .y = subject.output_axis(subject.output_title()),
               .height = 220};
  const std::vector<double> middle =
      to_vector((average.col(kDraws / 2 - 1) + average.col(kDraws / 2)) / 2);
  add_bands(out.chart, input, places, quantile, middle, "average");
  const auto [low, high] = std::minmax_element(middle.begin(), middle.end());
  out.size = *high - *low;
  return out;
}

Chart effect_chart(const Subject& subject, const std::vector<InputEffect>& effects) {
  std::vector<std::pair<double, std::string>> items;
  double most = 0;
  for (const InputEffect& effect : effects) {
    items.emplace_back(effect.size, effect.input->name);
    most = std::max(most, effect.size);
  }
  return bars(
      "effects",
      "How much each input moves the average prediction",
      "Highest minus lowest of the curves below.",
      fmt::format(
          "change of {}{}", subject.output_title(), subject.levels().empty() ? "" : ", in levels"),
      std::move(items),
      {0, most > 0 ? 1.05 * most : 1});
}

namespace {

double relevance(const FittedParameter& p) { return p.unit / p.parameter.value; }

}  // namespace

std::optional<Chart> relevance_chart(const Subject& subject) {
  const std::vector<Subject::LengthScale> scales = subject.length_scales();
  if (scales.size() < 2) return std::nullopt;
  double most = 0;
  for (const auto& scale : scales) most = std::max(most, relevance(scale.fitted));
  std::vector<std::pair<double, std::string>> items;
  items.reserve(scales.size());
  for (const auto& scale : scales) items.emplace_back(relevance(scale.fitted) / most, scale.input);
  return bars("relevance",
              "Relevance by length-scale (ARD)",
              "1 / length-scale in standardized units, the largest set to 1: a short length-scale "
              "means that the output changes quickly along the input.",
              "relevance",
              std::move(items),
              {0, 1.05});
}

}  // namespace ggpm::internal::report
