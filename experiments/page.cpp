// An experiment as a page: what agrees, pictures of it, every figure.
#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/reproduction_text.hpp"

namespace ggpm::paper {
namespace {

using report::Chart;
using report::Ink;
using report::Mark;

// The figures of one quantity of one table: the paper's with two sd, ours beside.
Chart figure_chart(const std::vector<const Cell*>& cells, int number) {
  const Cell& first = *cells.front();
  Chart out{.id = "figures" + std::to_string(number),
            .title = first.table + ": " + first.quantity,
            .x = {.title = first.quantity},
            .height = 60 + 24.0 * static_cast<double>(cells.size())};
  report::Layer spread{.mark = Mark::segments, .name = "paper, two sd either way"},
      paper{.mark = Mark::points, .name = "paper"}, ours{.mark = Mark::points, .name = "ours"};
  spread.ink = paper.ink = Ink::data;
  spread.opacity = 0.5;
  double row = static_cast<double>(cells.size()) - 1;  // the first is on top
  out.y.categories.resize(cells.size());
  for (const Cell* cell : cells) {
    out.y.categories[static_cast<std::size_t>(row)] = cell->row;
    const std::string label = fmt::format("{}: paper {}, ours {}",
                                          cell->row,
                                          figure(cell->paper, cell->paper_sd),
                                          figure(cell->ours, cell->ours_sd));
    if (cell->paper_sd > 0) {
      spread.x.push_back(cell->paper - 2 * cell->paper_sd);
      spread.x2.push_back(cell->paper + 2 * cell->paper_sd);
      spread.y.push_back(row);
      spread.y2.push_back(row);
      spread.label.push_back(label);
    }
    if (!std::isnan(cell->paper)) {
      paper.x.push_back(cell->paper);
      paper.y.push_back(row);
      paper.label.push_back(label);
    }
    ours.x.push_back(cell->ours);
    ours.y.push_back(row);
    ours.label.push_back(label);
    --row;
  }
  for (report::Layer* layer : {&spread, &paper, &ours})
    if (!layer->x.empty()) out.layers.push_back(std::move(*layer));
  return out;
}

// One for each quantity of a table, where there is something to compare.
std::vector<Chart> figure_charts(const Reproduction& result) {
  std::map<std::pair<std::string, std::string>, std::vector<const Cell*>> groups;
  std::vector<std::pair<std::string, std::string>> order;
  for (const Cell& cell : result.cells) {
    if (std::isnan(cell.ours)) continue;
    const std::string set = cell.row.substr(0, cell.row.find(':') + 1);  // "servo:", or empty
    if (cell.column != result.cells.front().column) continue;
    const std::pair key{cell.table + " " + set, cell.quantity};
    if (!groups.contains(key)) order.push_back(key);
    groups[key].push_back(&cell);
  }
  std::vector<Chart> out;
  for (const auto& key : order)
    if (groups[key].size() > 1)
      out.push_back(figure_chart(groups[key], static_cast<int>(out.size())));
  return out;
}

report::PageTable page_table(const char* caption,
                             std::vector<std::vector<std::string>> rows,
                             bool folded = false) {
  report::PageTable out{.caption = caption, .header = rows.front(), .folded = folded};
  out.rows.assign(rows.begin() + 1, rows.end());
  return out;
}

}  // namespace

std::string as_page(const Reproduction& result) {
  report::Page page(result.title);
  page.lead("The paper's experiment \"" + result.name + "\", run again: " + agreement_line(result) +
            ".");
  if (!result.charts.empty()) {
    page.heading("Pictures");
    page.charts(result.charts);
  }
  if (!result.claims.empty()) {
    report::PageTable claims{.caption = "What the paper says", .header = {"claim", "?", "here"}};
    for (const Claim& claim : result.claims)
      claims.rows.push_back({claim.text, claim.holds ? "yes" : "NO", claim.evidence});
    page.heading("Claims");
    page.table(claims);
  }
  if (!result.cells.empty()) {
    page.heading("Figures");
    page.charts(figure_charts(result));
    page.table(page_table("Every figure", cell_table(result.cells), true));
    if (const auto shares = share_table(result.cells); shares.size() > 1)
      page.table(page_table("How near", shares));
  }
  if (!result.tests.empty()) {
    page.heading("Tests");
    page.table(page_table("Average ranks, 1 is the best, with p of Friedman's test",
                          test_table(result.tests)));
  }
  if (!result.notes.empty()) page.heading("What to know");
  for (std::string note : result.notes) {
    if (!note.empty() && note[0] >= 'a' && note[0] <= 'z')
      note[0] = static_cast<char>(note[0] - 32);
    page.paragraph(note + ".");
  }
  page.footer(fmt::format("ggpm reproduce {}: {:.1f} minutes of processor time.",
                          result.name,
                          result.processor_seconds / 60));
  return page.html();
}

}  // namespace ggpm::paper
