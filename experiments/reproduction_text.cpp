#include "experiments/reproduction_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ggpm/data.hpp"

namespace ggpm::paper {
namespace {

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
        fmt::format("{} ({}){}",
                    figure(cell.ours, cell.ours_sd),
                    in_standard_errors(cell),
                    verdict(cell) == "yes" ? " *" : "");
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
  return difference() / std::sqrt(paper_sd * paper_sd / paper_trials + ours_sd * ours_sd / trials);
}

std::vector<std::string> columns_of(const std::vector<Cell>& cells) {
  std::vector<std::string> out;
  for (const Cell& cell : cells)
    if (std::find(out.begin(), out.end(), cell.column) == out.end()) out.push_back(cell.column);
  return out;
}

Balance balance_of(const std::vector<Cell>& cells, const std::string& column) {
  Balance out;
  for (const Cell& cell : cells) {
    if (cell.column != column || verdict(cell).empty()) continue;
    ++out.expected;
    out.agree += cell.agrees() ? 1 : 0;
    out.worse += cell.difference() > 0 ? 1 : 0;
    out.better += cell.difference() < 0 ? 1 : 0;
    const double z = cell.standard_errors();
    out.judged += std::isnan(z) ? 0 : 1;
    out.near += std::abs(z) <= 2 ? 1 : 0;
  }
  return out;
}

std::vector<std::string> balance_lines(const std::vector<Cell>& cells) {
  std::vector<std::string> out;
  for (const std::string& column : columns_of(cells)) {
    const Balance of = balance_of(cells, column);
    if (of.judged == 0) continue;
    out.push_back(fmt::format(
        "{}{} of {} figures lie within two standard errors of the difference of means, {} within "
        "two sd of the paper's trials; {} are larger than the paper's, {} smaller",
        column.empty() ? "" : column + ": ",
        of.near,
        of.judged,
        of.agree,
        of.worse,
        of.better));
  }
  return out;
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

std::vector<std::string> words_of(const RankTest& test) {
  const auto ranks = [](const std::vector<double>& values, double p) {
    return fmt::format(
        "{:.2f} ({})", fmt::join(values, ", "), p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", p));
  };
  return {test.table,
          test.row,
          test.quantity,
          fmt::format("{}", fmt::join(test.names, ", ")),
          ranks(test.paper, test.paper_p),
          ranks(test.ours.average_ranks, test.ours.p),
          test.same_outcome() ? "yes" : "no"};
}

}  // namespace

std::vector<std::vector<std::string>> test_table(const std::vector<RankTest>& tests) {
  std::vector<std::vector<std::string>> rows = {
      {"where", "row", "ranked by", "ranks of", "paper (p)", "ours (p)", "same outcome?"}};
  for (const RankTest& test : tests) rows.push_back(words_of(test));
  return rows;
}

std::string agreement_line(const Reproduction& result) {
  // Of several columns the first is the one that follows the paper to the letter.
  const Balance figures =
      balance_of(result.cells, result.cells.empty() ? "" : result.cells.front().column);
  int hold = 0;
  for (const Claim& claim : result.claims) hold += claim.holds ? 1 : 0;
  const auto same = std::count_if(
      result.tests.begin(), result.tests.end(), [](const RankTest& t) { return t.same_outcome(); });
  std::vector<std::string> parts;
  if (figures.expected > 0)
    parts.push_back(fmt::format("{} of {} figures agree ({:.0f} %)",
                                figures.agree,
                                figures.expected,
                                100.0 * figures.agree / figures.expected));
  if (figures.judged > 0)
    parts.push_back(fmt::format("{} of {} within 2 s.e. ({} larger, {} smaller)",
                                figures.near,
                                figures.judged,
                                figures.worse,
                                figures.better));
  if (!result.tests.empty())
    parts.push_back(fmt::format("{} of {} tests have the same outcome", same, result.tests.size()));
  if (!result.claims.empty())
    parts.push_back(fmt::format("{} of {} claims hold", hold, result.claims.size()));
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
                                              test.same_outcome() ? "yes" : "no"});
  return out;
}

std::vector<std::vector<std::string>> summary(const std::vector<Reproduction>& results) {
  std::vector<std::vector<std::string>> rows = {
      {"experiment", "outcome", "options", "seconds", "processor seconds"}};
  double seconds = 0, processor = 0;
  const auto whole = [](double x) { return fmt::format("{:.0f}", x); };
  for (const Reproduction& r : results) {
    rows.push_back(
        {r.name, agreement_line(r), r.setting, whole(r.seconds), whole(r.processor_seconds)});
    seconds += r.seconds;
    processor += r.processor_seconds;
  }
  rows.push_back({"together", "", "", whole(seconds), whole(processor)});
  return rows;
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

// The first paragraph is what scripts/reproduction makes a line of the overview from.
std::string as_markdown(const Reproduction& result) {
  std::string out =
      fmt::format("## `{}`\n\n{}. **{}.** Run with {}: {:.0f} s, {:.0f} s of processor time.\n\n",
                  result.name,
                  result.title,
                  agreement_line(result),
                  result.setting,
                  result.seconds,
                  result.processor_seconds);
  if (!result.claims.empty()) {
    std::vector<std::vector<std::string>> rows = {{"claim", "holds?", "evidence"}};
    for (const Claim& claim : result.claims)
      rows.push_back({claim.text, claim.holds ? "yes" : "**no**", claim.evidence});
    out += markdown_table(rows);
  }
  const auto table = [&](std::vector<std::vector<std::string>> rows) {
    if (rows.size() < 2) return;
    for (auto& row : rows)
      if (row.back() == "no") row.back() = "**no**";
    out += markdown_table(rows);
  };
  table(cell_table(result.cells));
  for (const std::string& line : balance_lines(result.cells)) out += "- " + line + "\n";
  if (!balance_lines(result.cells).empty()) out += "\n";
  table(test_table(result.tests));
  for (const std::string& line : result.notes) out += "- " + line + "\n";
  return out + "\n";
}

}  // namespace ggpm::paper
