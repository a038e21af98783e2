// Counts: how often each was observed, beside how often the model expects it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learn/parallel.hpp"
#include "report/calibration.hpp"

namespace ggpm::internal::report {
namespace {

constexpr Index kMostRows = 400;  // of them, evenly spread: every bar asks every row
constexpr double kMostBars = 25;
constexpr double kHalfBar = 0.42;

}  // namespace

Rootogram rootogram(const ScoredRows& scored) {
  Rootogram out;
  std::vector<Index> rows;
  const Index count = std::min(kMostRows, scored.size());
  for (Index k = 0; k < count; ++k) rows.push_back(k * scored.size() / count);
  std::vector<double> y;
  y.reserve(rows.size());
  for (const Index i : rows) y.push_back(std::round(scored.y[i] * scored.per[i]));
  const double top = *std::max_element(y.begin(), y.end());
  out.width = std::max(1.0, std::ceil((top + 1) / kMostBars));
  const auto bars = static_cast<Index>(std::floor(top / out.width)) + 1;
  out.observed = Vector::Zero(bars);
  Matrix upto(std::ssize(rows), bars);
  for_blocks(upto.rows(), 8, 0, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const auto p = scored.predictive(rows[static_cast<std::size_t>(r)]);
      for (Index k = 0; k < bars; ++k)
        upto(r, k) = p->cdf(static_cast<double>(k + 1) * out.width - 1);
    }
  });
  for (const double value : y) out.observed[static_cast<Index>(std::floor(value / out.width))] += 1;
  out.expected = upto.colwise().sum();
  for (Index k = bars - 1; k > 0; --k) out.expected[k] -= out.expected[k - 1];
  out.rows = std::ssize(rows);
  return out;
}

Chart rootogram_chart(const Subject& subject, const Rootogram& of) {
  Layer bars{.mark = Mark::boxes, .name = "observed", .ink = Ink::data, .opacity = 0.55};
  Layer line{.mark = Mark::line, .name = "expected"};
  Layer points{.mark = Mark::points, .value_name = "expected rows"};
  for (Index k = 0; k < of.observed.size(); ++k) {
    const double at = (static_cast<double>(k) + 0.5) * of.width - 0.5;
    const double top = std::sqrt(std::max(of.expected[k], 0.0));
    bars.x.push_back(at - kHalfBar * of.width);
    bars.x2.push_back(at + kHalfBar * of.width);
    bars.y.push_back(top - std::sqrt(of.observed[k]));
    bars.y2.push_back(top);
    bars.value.push_back(of.observed[k]);
    line.x.push_back(at);
    line.y.push_back(top);
    points.value.push_back(of.expected[k]);
  }
  points.x = line.x;
  points.y = line.y;
  bars.value_name = "observed rows";
  const double left = bars.x.front(), right = bars.x2.back();
  return {
      .id = "rootogram",
      .title = fmt::format("How often each {} occurs (rootogram)",
                           of.width > 1 ? fmt::format("group of {} values", of.width) : "value"),
      .caption = fmt::format(
          "Bars hang from what the model expects of {} rows. Where a bar ends above 0, the value "
          "is rarer than expected, below 0 more frequent; between the lines at ±1 that may be "
          "chance.",
          of.rows),
      .x = {.title = subject.target()},
      .y = {.title = "square root of rows"},
      .layers =
          {std::move(bars),
           {.mark = Mark::line, .ink = Ink::muted, .x = {left, right}, .y = {0, 0}},
           {.mark = Mark::line, .ink = Ink::muted, .dashed = true, .x = {left, right}, .y = {1, 1}},
           {.mark = Mark::line,
            .ink = Ink::muted,
            .dashed = true,
            .x = {left, right},
            .y = {-1, -1}},
           std::move(line),
           std::move(points)},
      .height = 260};
}

}  // namespace ggpm::internal::report
