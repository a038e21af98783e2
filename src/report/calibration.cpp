#include "report/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/constants.hpp"
#include "report/html.hpp"
#include "report/row_points.hpp"

namespace ggpm::internal::report {
namespace {

constexpr std::size_t kWorst = 10, kInputsShown = 5;

std::string row_name(const ScoredRows& scored, Index i) {
  return fmt::format("row {}", scored.number[static_cast<std::size_t>(i)]);
}

// Of two classes: how often the second was observed among rows of about the same probability.
Chart reliability_chart(const Subject& subject, const ScoredRows& scored) {
  constexpr int bins = 8;
  std::array<double, bins> count{}, hits{}, sum{};
  for (Index i = 0; i < scored.size(); ++i) {
    const auto k = static_cast<std::size_t>(std::clamp(scored.mean[i] * bins, 0.0, bins - 1.0));
    count[k] += 1;
    hits[k] += scored.y[i];
    sum[k] += scored.mean[i];
  }
  Layer errors{.mark = Mark::segments, .name = "95 % interval", .ink = Ink::data, .opacity = 0.6};
  Layer points{
      .mark = Mark::points, .name = "rows, in groups", .ink = Ink::data, .value_name = "rows"};
  for (std::size_t k = 0; k < bins; ++k) {
    if (count[k] == 0) continue;
    const double x = sum[k] / count[k], p = hits[k] / count[k];
    // Wilson's interval: right for few rows too.
    const double z2 = kNormal95 * kNormal95, n = count[k],
                 center = (p + z2 / (2 * n)) / (1 + z2 / n);
    const double half = kNormal95 * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    points.x.push_back(x);
    points.y.push_back(p);
    points.value.push_back(n);
    errors.x.push_back(x);
    errors.x2.push_back(x);
    errors.y.push_back(center - half);
    errors.y2.push_back(center + half);
  }
  return {.id = "observed",
          .title = "Predicted probability and observed share",
          .caption = "On the line if probabilities mean what they say.",
          .x = {.title = subject.output_title(), .range = Range{0, 1}},
          .y = {.title = "observed share", .range = Range{0, 1}},
          .layers = {{.mark = Mark::line,
                      .name = "equal",
                      .ink = Ink::muted,
                      .dashed = true,
                      .x = {0, 1},
                      .y = {0, 1}},
                     std::move(errors),
                     std::move(points)},
          .aspect = 1};
}

}  // namespace

Chart observed_chart(const Subject& subject, const ScoredRows& scored) {
  if (subject.model().domain() == Domain::binary) return reliability_chart(subject, scored);
  const double low = std::min(scored.y.minCoeff(), scored.mean.minCoeff());
  const double high = std::max(scored.y.maxCoeff(), scored.mean.maxCoeff());
  const std::vector<Index> rows = rows_to_draw(scored.size());
  const bool log = low > 0 && high / low > 200;
  Layer intervals{.mark = Mark::segments,
                  .name = "95 % interval",
                  .opacity = std::clamp(30 / static_cast<double>(scored.size()), 0.04, 0.25),
                  .x = to_vector(scored.mean, rows),
                  .y = to_vector(scored.lower, rows),
                  .x2 = to_vector(scored.mean, rows),
                  .y2 = to_vector(scored.upper, rows)};
  if (log)
    for (double& y : intervals.y) y = std::max(y, low / 10);
  Chart chart{.id = "observed",
              .title = fmt::format("Observed and predicted {}", subject.target()),
              .caption = fmt::format("Of {}.", scored.rows_words),
              .x = subject.output_axis("predicted mean"),
              .y = subject.output_axis("observed"),
              .aspect = 1};
  chart.x.log = chart.y.log = log;
  chart.layers = {std::move(intervals),
                  {.mark = Mark::line,
                   .name = "equal",
                   .ink = Ink::muted,
                   .dashed = true,
                   .x = {low, high},
                   .y = {low, high}}};
  RowPoints points(subject, "rows");
  for (const Index i : rows)
    points.add(scored.mean[i], scored.known[static_cast<std::size_t>(i)], row_name(scored, i));
  points.add_to(chart);
  return chart;
}

Chart pit_chart(const Subject& subject, const ScoredRows& scored) {
  const auto n = static_cast<double>(scored.size());
  const auto bins = static_cast<double>(scored.summary.histogram.size());
  const double air = kNormal95 * std::sqrt((1 - 1 / bins) * bins / n);
  Layer bars{.mark = Mark::boxes, .opacity = 0.75, .value_name = "rows"};
  for (std::size_t k = 0; k < scored.summary.histogram.size(); ++k) {
    const auto count = static_cast<double>(scored.summary.histogram[k]);
    bars.x.push_back(static_cast<double>(k) / bins + 0.004);
    bars.x2.push_back(static_cast<double>(k + 1) / bins - 0.004);
    bars.y.push_back(0);
    bars.y2.push_back(count * bins / n);
    bars.value.push_back(count);
  }
  return {
      .id = "pit",
      .title = "Where observations fall in their predictive distributions (PIT)",
      .caption =
          std::string("Flat if the model is right. High ends: intervals too narrow; a hump: too "
                      "wide; a slope: predictions too low or too high.") +
          (subject.discrete()      ? " Drawn at random within the step of a whole number."
           : scored.censored() > 0 ? " Of censored rows drawn at random where they may lie."
                                   : ""),
      .x = {.title = "probability of less than was observed", .range = Range{0, 1}},
      .y = {.title = "density"},
      .layers = {{.mark = Mark::band,
                  .name = "95 % of bars if right",
                  .ink = Ink::muted,
                  .opacity = 0.25,
                  .x = {0, 0.5, 1},
                  .y = std::vector<double>(3, std::max(0.0, 1 - air)),
                  .y2 = std::vector<double>(3, 1 + air)},
                 std::move(bars),
                 {.mark = Mark::line, .ink = Ink::muted, .dashed = true, .x = {0, 1}, .y = {1, 1}}},
      .height = 260};
}

Chart coverage_chart(const ScoredRows& scored) {
  const auto n = static_cast<double>(scored.size());
  Layer line{.mark = Mark::line, .name = "observed"};
  Layer band{.mark = Mark::band, .name = "95 % if right", .ink = Ink::muted, .opacity = 0.25};
  for (int k = 0; k <= 40; ++k) {
    const double level = k / 40.0;
    const auto inside = ((scored.pit.array() - 0.5).abs() <= level / 2).cast<double>();
    const double air = kNormal95 * std::sqrt(level * (1 - level) / n);
    line.x.push_back(level);
    line.y.push_back(inside.sum() / n);
    band.x.push_back(level);
    band.y.push_back(std::max(0.0, level - air));
    band.y2.push_back(std::min(1.0, level + air));
  }
  return {
      .id = "coverage",
      .title = "Share of observations inside central intervals",
      .caption = "Below the diagonal: intervals too narrow; above: too wide.",
      .x = {.title = "probability of the interval", .range = Range{0, 1}},
      .y = {.title = "share inside", .range = Range{0, 1}},
      .layers = {std::move(band),
                 {.mark = Mark::line, .ink = Ink::muted, .dashed = true, .x = {0, 1}, .y = {0, 1}},
                 std::move(line)},
      .height = 260};
}

Chart density_chart(const ScoredRows& scored) {
  MarkedPoints all("rows", Ink::model, 0.7), worst("least expected", Ink::data, 1, false);
  const std::vector<Index> marked = scored.worst(kWorst);
  std::vector<Index> rows = rows_to_draw(scored.size());
  if (static_cast<Index>(rows.size()) < scored.size())
    rows.insert(rows.end(), marked.begin(), marked.end());
  for (const Index i : rows) {
    const auto k = static_cast<std::size_t>(i);
    MarkedPoints& points = std::find(marked.begin(), marked.end(), i) != marked.end() ? worst : all;
    points.add(static_cast<double>(scored.number[k]),
               scored.log_density[i],
               scored.known[k],
               row_name(scored, i));
  }
  Chart chart{.id = "density",
              .title = scored.left_out ? "Log density of each row given the others (leave-one-out)"
                                       : "Log density of each row",
              .caption = "The lower, the less the model expected what was observed.",
              .x = {.title = "row"},
              .y = {.title = "log density"},
              .height = 240};
  if (scored.censored() > 0)
    chart.caption += " Of censored rows: the log probability of what is known.";
  all.add_to(chart);
  worst.add_to(chart);
  return chart;
}

PageTable coverage_table(const ScoredRows& scored) {
  PageTable out{.caption = "Observations inside the central interval",
                .header = {"interval", "should hold", "holds"}};
  const bool censored = scored.censored() > 0;
  if (censored) out.caption += ", censored ones by their probability of being there";
  for (const double level : {0.5, 0.8, 0.95})
    out.rows.push_back({fmt::format("{:.0f} %", 100 * level),
                        fmt::format("{:.1f} rows", level * static_cast<double>(scored.size())),
                        fmt::format("{:.{}f} rows, {:.1f} %",
                                    scored.coverage(level) * static_cast<double>(scored.size()),
                                    censored ? 1 : 0,
                                    100 * scored.coverage(level))});
  return out;
}

PageTable worst_table(const Subject& subject, const ScoredRows& scored) {
  PageTable out{.caption = "The rows that the model expected least",
                .header = {"row", "observed", "predicted", "95 % interval", "log density"}};
  const std::size_t inputs = std::min(kInputsShown, subject.inputs().size());
  for (std::size_t j = 0; j < inputs; ++j) out.header.push_back(subject.inputs()[j].name);
  for (const Index i :
       scored.worst(std::min(kWorst, static_cast<std::size_t>(scored.size() + 4) / 5))) {
    std::vector<std::string> row = {fmt::format("{}", scored.number[static_cast<std::size_t>(i)]),
                                    subject.known_words(scored.known[static_cast<std::size_t>(i)]),
                                    subject.output_words(scored.mean[i]),
                                    fmt::format("{} … {}",
                                                subject.output_words(scored.lower[i]),
                                                subject.output_words(scored.upper[i])),
                                    fmt::format("{:.2f}", scored.log_density[i])};
    for (std::size_t j = 0; j < inputs; ++j) row.push_back(subject.inputs()[j].value(scored.X, i));
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace ggpm::internal::report
