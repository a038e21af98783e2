// Two classes: how well probabilities tell them apart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/calibration.hpp"
#include "report/html.hpp"

namespace ggpm::internal::report {
namespace {

std::string share(double part, double all) {
  return all > 0 ? fmt::format("{:.1f} %", 100 * part / all) : "-";
}

// Rows by their probability, the largest first.
std::vector<Index> by_probability(const ScoredRows& scored) {
  std::vector<Index> rows(static_cast<std::size_t>(scored.size()));
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(
      rows.begin(), rows.end(), [&](Index a, Index b) { return scored.mean[a] > scored.mean[b]; });
  return rows;
}

}  // namespace

Separation separation(const ScoredRows& scored) {
  Separation out;
  const double ones = scored.y.sum(), zeros = static_cast<double>(scored.size()) - ones;
  out.brier = (scored.mean - scored.y).squaredNorm() / static_cast<double>(scored.size());
  out.both = ones > 0 && zeros > 0;
  if (!out.both) return out;
  double hits = 0, false_alarms = 0;
  out.alarms = {0};
  out.found = {0};
  const std::vector<Index> rows = by_probability(scored);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index i = rows[k];
    (scored.y[i] > 0.5 ? hits : false_alarms) += 1;
    // Rows with the same probability are one step of the curve.
    if (k + 1 < rows.size() && scored.mean[rows[k + 1]] == scored.mean[i]) continue;
    const double x = false_alarms / zeros, y = hits / ones;
    out.area += (x - out.alarms.back()) * (y + out.found.back()) / 2;
    out.alarms.push_back(x);
    out.found.push_back(y);
  }
  return out;
}

Chart roc_chart(const Separation& of) {
  return {
      .id = "roc",
      .title = fmt::format("Telling the classes apart (ROC), area {:.3f}", of.area),
      .caption =
          "For every threshold of the probability: the share of the second class that is "
          "found, and of the first that is taken for it. The diagonal is guessing.",
      .x = {.title = "false alarms", .range = Range{0, 1}},
      .y = {.title = "found", .range = Range{0, 1}},
      .layers = {{.mark = Mark::line, .ink = Ink::muted, .dashed = true, .x = {0, 1}, .y = {0, 1}},
                 {.mark = Mark::line, .name = "the model", .x = of.alarms, .y = of.found}},
      .aspect = 1};
}

PageTable confusion_table(const Subject& subject, const ScoredRows& scored, double threshold) {
  const std::vector<std::string>& levels = subject.saved().roles.levels;
  const auto name = [&](std::size_t k) {
    return levels.size() == 2 ? shorten(levels[k], 24) : std::string(k == 0 ? "0" : "1");
  };
  double count[2][2] = {};
  for (Index i = 0; i < scored.size(); ++i)
    count[scored.y[i] > 0.5 ? 1 : 0][scored.mean[i] > threshold ? 1 : 0] += 1;
  PageTable out{.caption = fmt::format("Classes at a threshold of {}", number(threshold)),
                .header = {"observed", "taken for " + name(0), "taken for " + name(1), "right"}};
  for (std::size_t k = 0; k < 2; ++k)
    out.rows.push_back({name(k),
                        fmt::format("{:.0f}", count[k][0]),
                        fmt::format("{:.0f}", count[k][1]),
                        share(count[k][k], count[k][0] + count[k][1])});
  return out;
}

}  // namespace ggpm::internal::report
