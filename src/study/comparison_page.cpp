#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "ggpm/study.hpp"
#include "report/html.hpp"
#include "report/page.hpp"

namespace ggpm {

using namespace internal;

namespace {

using report::Chart;
using report::Ink;
using report::Layer;
using report::Mark;

// A line for each candidate, the best on top: a point a split, their mean.
Chart score_chart(const Summary& summary,
                  std::span<const Trial> trials,
                  const std::string& id,
                  const std::string& title,
                  const std::string& axis,
                  const std::function<double(const Trial&)>& score) {
  const ShortNames names = short_names(summary.candidates);
  const std::vector<CandidateSummary> best_last(summary.candidates.rbegin(),
                                                summary.candidates.rend());
  Chart chart{.id = id, .title = title, .x = {.title = axis}};
  Layer splits{.mark = Mark::points, .name = "splits", .opacity = 0.5};
  Layer means{.mark = Mark::segments, .name = "mean", .ink = Ink::data};
  for (const CandidateSummary& c : best_last) {
    const auto place = static_cast<double>(chart.y.categories.size());
    chart.y.categories.push_back(report::shorten(names.of.at(c.name), 32));
    double sum = 0;
    int count = 0;
    for (const Trial& trial : trials) {
      if (trial.candidate != c.name || trial.failed() || !std::isfinite(score(trial))) continue;
      splits.x.push_back(score(trial));
      splits.y.push_back(place);
      splits.label.push_back(fmt::format("split {}", trial.split + 1));
      sum += score(trial);
      ++count;
    }
    if (count == 0) continue;
    means.x.push_back(sum / count);
    means.x2.push_back(sum / count);
    means.y.push_back(place - 0.35);
    means.y2.push_back(place + 0.35);
  }
  chart.height = 80 + 30 * static_cast<double>(chart.y.categories.size());
  chart.layers = {std::move(splits), std::move(means)};
  return chart;
}

}  // namespace

std::string comparison_page(const Summary& summary,
                            std::span<const Trial> trials,
                            const std::string& target,
                            const std::string& heading) {
  report::Page page(fmt::format("Which likelihood suits {}?", report::shorten(target)));
  page.lead("Recommended: " + summary.recommendation + ".");
  page.heading("Scores");
  const std::string shared = short_names(summary.candidates).shared;
  page.paragraph(heading + (shared.empty() ? "" : "; " + shared) + ".");
  std::vector<std::vector<std::string>> rows = comparison_table(summary);
  report::PageTable table{.caption = "Candidates, best first", .header = rows.front()};
  for (std::size_t k = 1; k < rows.size(); ++k) {
    rows[k].resize(table.header.size());
    table.rows.push_back(rows[k]);
  }
  page.table(table);
  for (const std::string& line : failure_lines(summary)) page.box(report::Tone::warning, line);
  page.chart(score_chart(summary,
                         trials,
                         "nlp",
                         "Negative log predictive density",
                         "NLP, smaller is better",
                         [](const Trial& t) { return t.scores.nlp; }));
  page.chart(score_chart(
      summary, trials, "mae", "Mean absolute error", "MAE, smaller is better", [](const Trial& t) {
        return t.scores.mae;
      }));
  page.chart(score_chart(
      summary, trials, "coverage", "Share inside 95 % intervals", "coverage", [](const Trial& t) {
        return t.scores.coverage;
      }));
  page.chart(
      score_chart(summary, trials, "seconds", "Time of a fit", "seconds", [](const Trial& t) {
        return t.seconds;
      }));
  if (summary.blocks > 1) {
    page.heading("Are the differences real?");
    page.paragraph(friedman_line("NLP", summary.by_nlp) + ".");
    page.paragraph(friedman_line("MAE", summary.by_mae) + ".");
    page.table({.caption = "Against the first, in pairs by NLP",
                .header = {"candidate", "ranks", "p", "p after Holm"},
                .rows = pairs_table(summary)});
  }
  return page.html();
}

}  // namespace ggpm
