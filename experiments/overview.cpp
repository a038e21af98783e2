#include "experiments/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/reproduction_text.hpp"

namespace ggpm::paper {
namespace {

using Json = nlohmann::ordered_json;

const char* const kFields[] = {
    "expected", "agree", "judged", "near", "larger", "smaller", "fewest", "most"};
int* field(Balance& of, std::size_t k) {
  int* const fields[] = {
      &of.expected, &of.agree, &of.judged, &of.near, &of.larger, &of.smaller, &of.fewest, &of.most};
  return fields[k];
}

// "Tables 7-9" of "Tables 7-9: positive outputs".
std::string where_of(const Outcome& outcome) {
  return outcome.title.substr(0, outcome.title.find(':'));
}

void add(Balance& to, Balance from) {
  for (std::size_t k = 0; k + 2 < std::size(kFields); ++k) *field(to, k) += *field(from, k);
}

std::string of_all(int part, int whole) {
  return whole == 0 ? "" : fmt::format("{} of {}", part, whole);
}

std::string signs(const Balance& of) {
  return of.larger + of.smaller == 0 ? "" : fmt::format("{} / {}", of.larger, of.smaller);
}

// The columns of Table 7, whose figures can be compared digit by digit.
std::string words_on_nonnegative(const Outcome& outcome) {
  std::string out;
  for (const Outcome::Share& share : outcome.shares)
    out += fmt::format("{}{} with `{}`",
                       out.empty() ? "" : ", ",
                       share_of(share.of.near, share.of.judged),
                       share.column);
  const Balance first = outcome.first();
  const int more = std::max(first.larger, first.smaller);
  const bool larger = first.larger > first.smaller;
  out = fmt::format(
      "Of Table 7, with random splits of the paper's sizes, these lie within two standard errors: "
      "{}. With the first kernel {} of {} figures are {} than the paper's: ",
      out,
      more,
      first.larger + first.smaller,
      larger ? "larger" : "smaller");
  // Figures of one data set share their splits, so that even chance gives uneven signs.
  if (more > 0.75 * (first.larger + first.smaller))
    out += larger
               ? "a common bias, not chance: the paper's splits or kernels were kinder than ours."
               : "a common bias, not chance: our splits are kinder than the paper's.";
  else
    out += "no common bias.";
  return out;
}

}  // namespace

Balance Outcome::first() const {
  Balance out;
  for (const Share& share : shares)
    if (share.column == shares.front().column) add(out, share.of);
  return out;
}

Outcome outcome_of(const Reproduction& result) {
  Outcome out{.name = result.name, .title = result.title, .setting = result.setting};
  for (const std::string& table : tables_of(result.cells))
    for (const std::string& column : columns_of(result.cells)) {
      const Balance of = balance_of(result.cells, column, table);
      if (of.judged > 0 || of.expected > 0) out.shares.push_back({table, column, of});
    }
  for (const RankTest& test : result.tests) {
    if (test.column != result.tests.front().column) continue;
    ++out.tests;
    out.same += test.same_outcome() ? 1 : 0;
  }
  out.claims = static_cast<int>(result.claims.size());
  for (const Claim& claim : result.claims) out.hold += claim.holds ? 1 : 0;
  out.minutes = result.processor_seconds / 60;
  out.cut_short = result.cut_short;
  return out;
}

std::string to_json(const Outcome& outcome) {
  Json shares = Json::array();
  for (Outcome::Share share : outcome.shares) {
    Json one = {{"table", share.table}, {"column", share.column}};
    for (std::size_t k = 0; k < std::size(kFields); ++k) one[kFields[k]] = *field(share.of, k);
    shares.push_back(one);
  }
  Json out = {{"name", outcome.name},
              {"title", outcome.title},
              {"setting", outcome.setting},
              {"shares", shares},
              {"tests", outcome.tests},
              {"same", outcome.same},
              {"claims", outcome.claims},
              {"hold", outcome.hold},
              {"minutes", std::round(10 * outcome.minutes) / 10},
              {"cut_short", outcome.cut_short}};
  if (outcome.earlier) out["earlier"] = true;
  return out.dump(2) + "\n";
}

Outcome read_outcome(const std::string& json) {
  try {
    const Json in = Json::parse(json);
    Outcome out{.name = in.at("name"), .title = in.at("title"), .setting = in.at("setting")};
    for (const Json& one : in.at("shares")) {
      Outcome::Share share{one.at("table"), one.at("column"), {}};
      for (std::size_t k = 0; k < std::size(kFields); ++k)
        *field(share.of, k) = one.at(kFields[k]).get<int>();
      out.shares.push_back(std::move(share));
    }
    out.tests = in.at("tests");
    out.same = in.at("same");
    out.claims = in.at("claims");
    out.hold = in.at("hold");
    out.minutes = in.at("minutes");
    out.cut_short = in.at("cut_short");
    out.earlier = in.value("earlier", false);
    return out;
  } catch (const std::exception&) {
    throw DataError(
        "not an outcome of ggpm reproduce; delete the file and run its experiment again");
  }
}

std::vector<std::vector<std::string>> overview_table(const std::vector<Outcome>& outcomes) {
  std::vector<std::vector<std::string>> rows = {{"experiment",
                                                 "paper",
                                                 "cells within 2 s.e.",
                                                 "larger / smaller",
                                                 "tests alike",
                                                 "claims that hold",
                                                 "minutes"}};
  int hold = 0, claims = 0;
  double minutes = 0;
  for (const Outcome& o : outcomes) {
    const Balance of = o.first();
    rows.push_back({o.name,
                    where_of(o),
                    share_of(of.near, of.judged),
                    signs(of),
                    of_all(o.same, o.tests),
                    of_all(o.hold, o.claims),
                    fmt::format("{:.1f}", o.minutes)});
    hold += o.hold;
    claims += o.claims;
    minutes += o.minutes;
  }
  rows.push_back(
      {"together", "", "", "", "", of_all(hold, claims), fmt::format("{:.1f}", minutes)});
  return rows;
}

std::string verdict_of(const std::vector<Outcome>& outcomes) {
  int hold = 0, claims = 0, same = 0, tests = 0;
  for (const Outcome& o : outcomes) {
    hold += o.hold;
    claims += o.claims;
    same += o.same;
    tests += o.tests;
  }
  std::string out = fmt::format(
      "Of {} statements that the paper makes about these experiments, {} hold here, and {} of its {} "
      "significance tests have the same outcome. ",
      claims,
      hold,
      same,
      tests);
  for (const Outcome& o : outcomes) {
    if (o.name == "nonnegative" && !o.shares.empty()) out += words_on_nonnegative(o) + " ";
    if (o.name != "crowd") continue;
    for (const Outcome::Share& share : o.shares)
      if (share.table == "Table 13")
        out += fmt::format(
            "Of the crowd with 400 frames (Table 13{}) {} lie within two standard "
            "errors. ",
            share.column.empty() ? "" : ", " + share.column,
            share_of(share.of.near, share.of.judged));
  }
  return out +
         "If our runs were the paper's but for the draw of the splits, about 95 % would. Where data "
         "or inputs are not published (the examples in one dimension, spectra, ages) only orders of "
         "methods can be compared, not digits.";
}

std::string overview_page(const std::vector<Outcome>& outcomes) {
  std::vector<std::vector<std::string>>
      table = overview_table(outcomes),
      shares = {{"where", "column", "trials", "within 2 s.e.", "within 2 sd", "larger", "smaller"}};
  for (std::size_t i = 1; i + 1 < table.size(); ++i)
    table[i][0] = fmt::format("[`{0}`](reproduction/{0}.md){1}",
                              table[i][0],
                              outcomes[i - 1].earlier ? " (earlier run)" : "");
  std::string settings, pages;
  for (const Outcome& o : outcomes) {
    for (const Outcome::Share& share : o.shares)
      shares.push_back({fmt::format("{} ({})", share.table, o.name),
                        share.column,
                        share.of.most == 0 ? "1"
                        : share.of.fewest == share.of.most
                            ? std::to_string(share.of.most)
                            : fmt::format("{} to {}", share.of.fewest, share.of.most),
                        share_of(share.of.near, share.of.judged),
                        share_of(share.of.agree, share.of.expected),
                        std::to_string(share.of.larger),
                        std::to_string(share.of.smaller)});
    settings += fmt::format("- `{}`: {}{}{}.\n",
                            o.name,
                            o.setting,
                            o.cut_short ? "; cut short by the time given" : "",
                            o.earlier ? "; taken over from a run of earlier code" : "");
    pages += fmt::format("reproduction/{}\n", o.name);
  }
  return "# The paper's experiments, run again\n\n" + markdown_table(table) + verdict_of(outcomes) +
         "\n\n## How near, table by table\n\n" + markdown_table(shares) +
         R"(A figure is a mean over trials, such as the NLP of one model on one data set. *Within 2 s.e.*: the two means, the
paper's and ours, differ by less than two standard errors of their difference, the rounding of the printed one included.
*Within 2 sd*, which is much easier: by less than two standard deviations of the paper's own trials (plus half a printed
digit); Table 12 has one trial and is held to 0.05 (MAE) and 0.1 (NLP). *Larger*: than the paper's, which is worse for
errors and NLP. A *column* is a way to run what the paper leaves open, such as a kernel. The table above is of the first
column, which is nearest to the paper's words. *Minutes* are of processor time. Numbers of tables and figures are those of
the compiled paper, in which `tab:abalone` is Table 7 and `tab:crowds` Table 12.

## How it was run

)" + settings +
         R"(
`make reproduction` renews all of these pages, `ggpm reproduce NAME --pages docs -o DIR` one of them; every word and picture
is printed by the command. Data are found by `--data DIR` or `GGPM_DATA_DIR`. What has been computed is kept in `DIR`
(`NAME.kept`): the same command goes on from there, and with `--seconds N` it ends in time and shows what there is.
The right crowd of Tables 12 to 14 and the paper's features of faces are not published.

```{toctree}
:hidden:

)" + pages +
         "```\n";
}

}  // namespace ggpm::paper
