#include "experiments/reproduction_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ggpm/data.hpp"
#include "report/svg.hpp"

namespace ggpm::paper {
namespace {

constexpr const char* kLegend =
    "In brackets: the difference in standard errors of the difference of the two means, and n where "
    "there are fewer trials than the paper's. A star: within two sd of the paper's trials.\n\n";

std::string in_standard_errors(const Cell& cell) {
  const double z = cell.standard_errors();
  return std::isnan(z) ? "" : fmt::format("{:+.1f}", z);
}

std::vector<std::string> words_of(const Cell& cell) {
  return {cell.table,
          cell.row,
          cell.quantity,
          figure(cell.paper, cell.paper_sd),
          figure(cell.ours, cell.ours_sd),
          std::isnan(cell.paper) ? "" : fmt::format("{:+.3g}", cell.difference()),
          in_standard_errors(cell),
          verdict(cell)};
}

// " (+1.3)": the difference in standard errors; of fewer trials than the paper's, their number too.
std::string in_brackets(const Cell& cell) {
  const std::string z = in_standard_errors(cell);
  if (z.empty()) return "";
  return cell.trials < cell.paper_trials ? fmt::format(" ({}, n = {})", z, cell.trials)
                                         : fmt::format(" ({})", z);
}

// Rows of the paper's figures, with the figures of all columns beside them.
std::vector<std::vector<std::string>> side_by_side(const std::vector<Cell>& cells,
                                                   const std::vector<std::string>& columns) {
  std::vector<std::vector<std::string>> rows = {{"where", "row", "quantity", "paper"}};
  rows.front().insert(rows.front().end(), columns.begin(), columns.end());
  std::map<std::vector<std::string>, std::size_t> place;
  for (const Cell& cell : cells) {
    const auto [at, is_new] = place.try_emplace({cell.table, cell.row, cell.quantity}, rows.size());
    if (is_new) {
      rows.push_back({cell.table, cell.row, cell.quantity, figure(cell.paper, cell.paper_sd)});
      rows.back().resize(rows.front().size());
    }
    const auto column = std::find(columns.begin(), columns.end(), cell.column) - columns.begin();
    rows[at->second][4 + static_cast<std::size_t>(column)] =
        figure(cell.ours, cell.ours_sd) + in_brackets(cell) + (verdict(cell) == "yes" ? " *" : "");
  }
  return rows;
}

}  // namespace

std::string figure(double value, double sd) {
  if (std::isnan(value)) return "-";
  return std::isnan(sd) ? fmt::format("{:.4g}", value) : fmt::format("{:.4g} ± {:.2g}", value, sd);
}

double Cell::standard_errors() const {
  if (paper_trials < 1 || trials < 1) return kNone;
  const double sd = trials > 1 ? ours_sd : paper_sd;
  return difference() / std::sqrt(paper_sd * paper_sd / paper_trials + sd * sd / trials +
                                  unit * unit / 12);  // of rounding
}

std::vector<std::string> columns_of(const std::vector<Cell>& cells) {
  std::vector<std::string> out;
  for (const Cell& cell : cells)
    if (std::find(out.begin(), out.end(), cell.column) == out.end()) out.push_back(cell.column);
  return out;
}

std::vector<std::string> tables_of(const std::vector<Cell>& cells) {
  std::vector<std::string> out;
  for (const Cell& cell : cells)
    if (std::find(out.begin(), out.end(), cell.table) == out.end()) out.push_back(cell.table);
  return out;
}

Balance balance_of(const std::vector<Cell>& cells,
                   const std::string& column,
                   const std::string& table) {
  Balance out;
  for (const Cell& cell : cells) {
    if (cell.column != column || (!table.empty() && cell.table != table)) continue;
    const double z = cell.standard_errors();
    const bool expected = !verdict(cell).empty();
    if (std::isnan(z) && !expected) continue;
    out.expected += expected ? 1 : 0;
    out.agree += expected && cell.agrees() ? 1 : 0;
    out.larger += cell.difference() > 0 ? 1 : 0;
    out.smaller += cell.difference() < 0 ? 1 : 0;
    out.judged += std::isnan(z) ? 0 : 1;
    out.near += std::abs(z) <= 2 ? 1 : 0;
    out.fewest = out.fewest == 0 ? cell.trials : std::min(out.fewest, cell.trials);
    out.most = std::max(out.most, cell.trials);
  }
  return out;
}

std::vector<std::vector<std::string>> share_table(const std::vector<Cell>& cells) {
  std::vector<std::vector<std::string>> rows = {{"where",
                                                 "column",
                                                 "trials",
                                                 "within 2 s.e.",
                                                 "within 2 sd",
                                                 "larger than the paper's",
                                                 "smaller"}};
  for (const std::string& table : tables_of(cells))
    for (const std::string& column : columns_of(cells)) {
      const Balance of = balance_of(cells, column, table);
      if (of.judged == 0 && of.expected == 0) continue;
      rows.push_back({table,
                      column,
                      of.judged == 0         ? ""
                      : of.fewest == of.most ? std::to_string(of.most)
                                             : fmt::format("{} to {}", of.fewest, of.most),
                      share_of(of.near, of.judged),
                      share_of(of.agree, of.expected),
                      std::to_string(of.larger),
                      std::to_string(of.smaller)});
    }
  return rows;
}

std::string share_of(int part, int whole) {
  return whole == 0 ? "" : fmt::format("{} of {} ({:.0f} %)", part, whole, 100.0 * part / whole);
}

std::string verdict(const Cell& cell) {
  if (!cell.expected() || std::isnan(cell.paper)) return "";
  return cell.agrees() ? "yes" : "no";
}

std::vector<std::vector<std::string>> cell_table(const std::vector<Cell>& cells) {
  const std::vector<std::string> columns = columns_of(cells);
  if (columns.size() > 1) return side_by_side(cells, columns);
  std::vector<std::vector<std::string>> rows = {
      {"where", "row", "quantity", "paper", "ours", "difference", "in s.e.", "agree?"}};
  for (const Cell& cell : cells) rows.push_back(words_of(cell));
  return rows;
}

namespace {

std::string in_words(const std::vector<double>& ranks, double p) {
  return fmt::format(
      "{:.2f} ({})", fmt::join(ranks, ", "), p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", p));
}

}  // namespace

std::vector<std::vector<std::string>> test_table(const std::vector<RankTest>& tests) {
  std::vector<std::string> columns;
  for (const RankTest& test : tests)
    if (std::find(columns.begin(), columns.end(), test.column) == columns.end())
      columns.push_back(test.column);
  std::vector<std::vector<std::string>> rows = {
      {"where", "row", "ranked by", "ranks of", "paper (p)"}};
  for (const std::string& column : columns) {
    rows[0].push_back(column.empty() ? "ours (p)" : column + " (p)");
    rows[0].emplace_back("same outcome?");
  }
  std::map<std::vector<std::string>, std::size_t> place;
  for (const RankTest& test : tests) {
    const std::vector<std::string> head = {test.table,
                                           test.row,
                                           test.quantity,
                                           fmt::format("{}", fmt::join(test.names, ", ")),
                                           in_words(test.paper, test.paper_p)};
    const auto [at, is_new] = place.try_emplace(head, rows.size());
    if (is_new) {
      rows.push_back(head);
      rows.back().resize(rows[0].size());
    }
    const auto column = std::find(columns.begin(), columns.end(), test.column) - columns.begin();
    std::string* cell = &rows[at->second][5 + 2 * static_cast<std::size_t>(column)];
    cell[0] = in_words(test.ours.average_ranks, test.ours.p);
    cell[1] = test.same_outcome() ? "yes" : "no";
  }
  return rows;
}

std::string agreement_line(const Reproduction& result) {
  // Of several columns the first is the one that follows the paper to the letter.
  const std::string first = result.cells.empty() ? "" : result.cells.front().column;
  const Balance figures = balance_of(result.cells, first);
  std::vector<std::string> parts;
  if (figures.judged > 0)
    parts.push_back(fmt::format("{} figures lie within two standard errors of the paper's",
                                share_of(figures.near, figures.judged)));
  if (figures.expected > 0)
    parts.push_back(fmt::format("{} within two sd of its trials, or the tolerance",
                                share_of(figures.agree, figures.expected)));
  if (!result.tests.empty()) {
    int same = 0, all = 0;
    for (const RankTest& test : result.tests)
      if (test.column == result.tests.front().column) {
        ++all;
        same += test.same_outcome() ? 1 : 0;
      }
    parts.push_back(fmt::format("{} of {} tests have the same outcome", same, all));
  }
  if (!result.claims.empty())
    parts.push_back(fmt::format(
        "{} of {} claims hold",
        std::count_if(
            result.claims.begin(), result.claims.end(), [](const Claim& c) { return c.holds; }),
        result.claims.size()));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string cells_csv(const Reproduction& result) {
  std::string out;
  append_csv_row(out,
                 std::vector<std::string>{"where",
                                          "row",
                                          "quantity",
                                          "paper",
                                          "paper_sd",
                                          "ours",
                                          "ours_sd",
                                          "agree",
                                          "column",
                                          "trials",
                                          "standard_errors"});
  for (const Cell& c : result.cells)
    append_csv_row(out,
                   std::vector<std::string>{c.table,
                                            c.row,
                                            c.quantity,
                                            format_number(c.paper),
                                            format_number(c.paper_sd),
                                            format_number(c.ours),
                                            format_number(c.ours_sd),
                                            verdict(c),
                                            c.column,
                                            std::to_string(c.trials),
                                            in_standard_errors(c)});
  return out;
}

std::string tests_csv(const Reproduction& result) {
  std::string out;
  append_csv_row(out,
                 std::vector<std::string>{"where",
                                          "row",
                                          "score",
                                          "name",
                                          "paper_rank",
                                          "our_rank",
                                          "paper_p",
                                          "our_p",
                                          "blocks",
                                          "column",
                                          "same_outcome"});
  for (const RankTest& test : result.tests)
    for (std::size_t j = 0; j < test.names.size(); ++j)
      append_csv_row(out,
                     std::vector<std::string>{test.table,
                                              test.row,
                                              test.quantity,
                                              test.names[j],
                                              format_number(test.paper[j]),
                                              format_number(test.ours.average_ranks[j]),
                                              format_number(test.paper_p),
                                              format_number(test.ours.p),
                                              std::to_string(test.blocks),
                                              test.column,
                                              test.same_outcome() ? "yes" : "no"});
  return out;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) out += "| " + cell + " ";
    out += "|\n";
  };
  for (const auto& row : rows) {
    add(row);
    if (&row == &rows.front()) add(std::vector<std::string>(row.size(), "---"));
  }
  return out + "\n";
}

namespace {

std::string bold_no(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (std::string& cell : row)
      if (cell == "no") cell = "**no**";
  return markdown_table(rows);
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

}  // namespace

std::string as_markdown(const Reproduction& result) {
  std::string out = fmt::format(
      "# `{}`\n\n{}. [All experiments](../reproduction.md)\n\n**{}.** Run with {}: {:.1f} minutes "
      "of processor time{}. `ggpm reproduce {}` runs it again.\n\n",
      result.name,
      result.title,
      capitalized(agreement_line(result)),
      result.setting,
      result.processor_seconds / 60,
      result.cut_short ? "; the time was up before all trials of the paper had been run" : "",
      result.name);
  if (!result.claims.empty()) {
    std::vector<std::vector<std::string>> rows = {{"what the paper says", "holds?", "evidence"}};
    for (const Claim& claim : result.claims)
      rows.push_back({claim.text, claim.holds ? "yes" : "no", claim.evidence});
    out += bold_no(rows);
  }
  if (!result.notes.empty()) out += "## What to know\n\n";
  for (const std::string& line : result.notes) out += "- " + capitalized(line) + ".\n";
  if (!result.notes.empty()) out += "\n";
  if (!result.charts.empty()) out += "## Pictures\n\n";
  for (const report::Chart& chart : result.charts)
    out +=
        fmt::format("![{}]({})\n\n{}\n\n", chart.title, picture_name(result, chart), chart.caption);
  if (const auto shares = share_table(result.cells); shares.size() > 1)
    out += "## How near\n\n" + markdown_table(shares);
  if (!result.cells.empty()) {
    out += "## Every figure\n\n" + std::string(columns_of(result.cells).size() > 1 ? kLegend : "");
    out += bold_no(cell_table(result.cells));
  }
  if (!result.tests.empty())
    out +=
        "## Tests\n\nAverage ranks, 1 is the best, with p of Friedman's test. The outcome is the "
        "same if both find a difference at 5 % and the same best, or neither finds one.\n\n" +
        bold_no(test_table(result.tests));
  return out.substr(0, out.find_last_not_of('\n') + 1) + "\n";
}

std::string as_svg(const report::Chart& chart) { return report::svg_file(chart); }

std::string picture_name(const Reproduction& result, const report::Chart& chart) {
  return fmt::format("{}-{}.svg", result.name, chart.id);
}

}  // namespace ggpm::paper
