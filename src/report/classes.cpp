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

PageTable taken_for_table(std::string caption,
                          const std::vector<std::string>& names,
                          const Vector& observed,
                          const std::vector<Index>& taken) {
  const auto C = static_cast<Index>(names.size());
  Matrix count = Matrix::Zero(C, C);
  for (Index i = 0; i < observed.size(); ++i)
    count(static_cast<Index>(observed[i]), taken[static_cast<std::size_t>(i)]) += 1;
  PageTable out{.caption = std::move(caption), .header = {"observed"}};
  for (const std::string& name : names) out.header.push_back("taken for " + name);
  out.header.emplace_back("right");
  for (Index a = 0; a < C; ++a) {
    std::vector<std::string> row = {names[static_cast<std::size_t>(a)]};
    for (Index b = 0; b < C; ++b) row.push_back(fmt::format("{:.0f}", count(a, b)));
    row.push_back(share(count(a, a), count.row(a).sum()));
    out.rows.push_back(std::move(row));
  }
  return out;
}

PageTable confusion_table(const Subject& subject, const ScoredRows& scored, double threshold) {
  const std::vector<std::string>& levels = subject.saved().roles.levels;
  const auto name = [&](std::size_t k) {
    return levels.size() == 2 ? shorten(levels[k], 24) : std::string(k == 0 ? "0" : "1");
  };
  std::vector<Index> taken;
  for (const double p : scored.mean) taken.push_back(p > threshold ? 1 : 0);
  return taken_for_table(fmt::format("Classes at a threshold of {}", number(threshold)),
                         {name(0), name(1)},
                         scored.y,
                         taken);
}

PageTable level_table(const Subject& subject, const ScoredRows& scored) {
  std::vector<Index> taken(static_cast<std::size_t>(scored.size()));
  for (Index i = 0; i < scored.size(); ++i)
    taken[static_cast<std::size_t>(i)] = static_cast<Index>(scored.predictive(i)->mode()) - 1;
  return taken_for_table(
      "Rows of each level, by the most probable one", subject.levels(), scored.y, taken);
}

}  // namespace ggpm::internal::report
