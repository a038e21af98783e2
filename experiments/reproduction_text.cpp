#include "experiments/reproduction_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ggpm/data.hpp"

namespace ggpm::paper {
namespace {

std::string number(double value, double sd) {
  if (std::isnan(value)) return "-";
  return std::isnan(sd) ? fmt::format("{:.4g}", value) : fmt::format("{:.4g} ± {:.2g}", value, sd);
}

}  // namespace

std::string verdict(const Cell& cell) {
  if (!cell.expected() || std::isnan(cell.paper)) return "";
  return cell.agrees() ? "yes" : "no";
}

const std::vector<std::string> kCellHeader = {
    "where", "row", "quantity", "paper", "ours", "difference", "agree?"};

std::vector<std::string> words_of(const Cell& cell) {
  return {cell.table,
          cell.row,
          cell.quantity,
          number(cell.paper, cell.paper_sd),
          number(cell.ours, cell.ours_sd),
          std::isnan(cell.paper) ? "" : fmt::format("{:+.3g}", cell.difference()),
          verdict(cell)};
}

const std::vector<std::string> kTestHeader = {
    "where", "row", "ranked by", "ranks of", "paper (p)", "ours (p)", "same outcome?"};

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

std::string agreement_line(const Reproduction& result) {
  int expected = 0, agree = 0, hold = 0;
  for (const Cell& cell : result.cells) {
    expected += verdict(cell).empty() ? 0 : 1;
    agree += verdict(cell) == "yes" ? 1 : 0;
  }
  for (const Claim& claim : result.claims) hold += claim.holds ? 1 : 0;
  const auto same = std::count_if(
      result.tests.begin(), result.tests.end(), [](const RankTest& t) { return t.same_outcome(); });
  std::vector<std::string> parts;
  if (expected > 0)
    parts.push_back(fmt::format(
        "{} of {} figures agree ({:.0f} %)", agree, expected, 100.0 * agree / expected));
  if (!result.tests.empty())
    parts.push_back(fmt::format("{} of {} tests have the same outcome", same, result.tests.size()));
  if (!result.claims.empty())
    parts.push_back(fmt::format("{} of {} claims hold", hold, result.claims.size()));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string cells_csv(const Reproduction& result) {
  std::string out;
  append_csv_row(out,
                 std::vector<std::string>{
                     "where", "row", "quantity", "paper", "paper_sd", "ours", "ours_sd", "agree"});
  for (const Cell& c : result.cells)
    append_csv_row(out,
                   std::vector<std::string>{c.table,
                                            c.row,
                                            c.quantity,
                                            format_number(c.paper),
                                            format_number(c.paper_sd),
                                            format_number(c.ours),
                                            format_number(c.ours_sd),
                                            verdict(c)});
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
  const auto table = [&](const std::vector<std::string>& header, const auto& lines) {
    if (lines.empty()) return;
    std::vector<std::vector<std::string>> rows = {header};
    for (const auto& line : lines) {
      rows.push_back(words_of(line));
      if (rows.back().back() == "no") rows.back().back() = "**no**";
    }
    out += markdown_table(rows);
  };
  table(kCellHeader, result.cells);
  table(kTestHeader, result.tests);
  for (const std::string& line : result.notes) out += "- " + line + "\n";
  return out + "\n";
}

}  // namespace ggpm::paper
