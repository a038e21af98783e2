#include "cli/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "ggpm/data.hpp"
#include "ggpm/summary.hpp"
#include "ggpm/text.hpp"
#include "ggpm/trial_file.hpp"

namespace ggpm::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const MeanSd& value) {
  return {{"mean", number(value.mean)}, {"sd", number(value.sd)}};
}

Json json_of(const Friedman& test, const std::vector<PairTest>& pairs) {
  Json out = {{"statistic", test.statistic},
              {"degrees_of_freedom", test.degrees_of_freedom},
              {"p", test.p},
              {"average_ranks", test.average_ranks}};
  out["pairs"] = Json::array();
  for (const PairTest& t : pairs)
    out["pairs"].push_back({{"first", t.first},
                            {"second", t.second},
                            {"ranks", {t.first_rank, t.second_rank}},
                            {"p", t.p},
                            {"holm_p", t.adjusted_p}});
  return out;
}

}  // namespace

std::string aligned_table(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = harmless(cell);
  std::vector<std::size_t> widths;
  const auto width = [](const std::string& cell) {  // characters, not bytes
    return static_cast<std::size_t>(std::count_if(cell.begin(), cell.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
  };
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], width(row[j]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string gap(widths[j] - width(row[j]), ' ');
      out += j == 0 ? row[j] + gap : "  " + gap + row[j];
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  return out;
}

std::string trial_line(const Trial& trial,
                       std::size_t count,
                       std::size_t total,
                       std::size_t splits) {
  const std::string head = fmt::format(
      "[{}/{}] split {} of {}: {}: ", count, total, trial.split + 1, splits, trial.candidate);
  if (trial.failed()) return head + "failed: " + trial.failure;
  return head + fmt::format("NLP {:.4g}, MAE {:.4g}, {}",
                            trial.scores.nlp,
                            trial.scores.mae,
                            duration_text(trial.seconds));
}

std::string comparison_text(const Summary& summary, std::size_t splits, Index train) {
  const std::string shared = short_names(summary.candidates).shared;
  std::string out =
      comparison_heading(splits, train) + (shared.empty() ? "" : "; " + shared) + "\n\n";
  out += aligned_table(comparison_table(summary)) + "\n";
  for (const std::string& line : failure_lines(summary)) out += line + "\n";
  if (summary.blocks > 1) {
    out +=
        friedman_line("NLP", summary.by_nlp) + "\n" + friedman_line("MAE", summary.by_mae) + "\n";
    std::vector<std::vector<std::string>> pairs = pairs_table(summary);
    for (std::vector<std::string>& row : pairs)
      row = {"  " + row[0], row[1], "p = " + row[2], "(Holm " + row[3] + ")"};
    if (!pairs.empty()) out += "Against the first, in pairs by NLP:\n" + aligned_table(pairs);
  }
  return out + "\nrecommended: " + summary.recommendation + "\n";
}

nlohmann::ordered_json comparison_json(const Summary& summary, std::span<const Trial> trials) {
  Json out = {{"recommendation", summary.recommendation},
              {"best", summary.best.empty() ? Json(nullptr) : Json(summary.best)}};
  out["candidates"] = Json::array();
  for (const CandidateSummary& c : summary.candidates) {
    Json row = {{"candidate", c.name}, {"trials", c.trials}, {"failures", c.failures}};
    if (c.failures > 0) row["failure"] = c.failure;
    if (c.failures < c.trials) {
      row["nlp"] = json_of(c.nlp);
      row["mae"] = json_of(c.mae);
      row["mse"] = json_of(c.mse);
      row["coverage"] = json_of(c.coverage);
      row["width"] = json_of(c.width);
      row["log_marginal"] = json_of(c.log_marginal);
      row["loo"] = json_of(c.loo);
      row["seconds"] = json_of(c.seconds);
      if (c.nlp_rank > 0) row["rank"] = {{"nlp", c.nlp_rank}, {"mae", c.mae_rank}};
    }
    out["candidates"].push_back(std::move(row));
  }
  if (summary.blocks > 0)
    out["friedman"] = {{"candidates", summary.ranked},
                       {"splits", summary.blocks},
                       {"nlp", json_of(summary.by_nlp, summary.pairs_by_nlp)},
                       {"mae", json_of(summary.by_mae, summary.pairs_by_mae)}};
  out["trials"] = Json::array();
  for (const Trial& trial : trials) out["trials"].push_back(Json::parse(to_json(trial)));
  return out;
}

std::string trials_csv(std::span<const Trial> trials, CsvText text) {
  const std::array<std::string, 12> header = {"candidate",
                                              "split",
                                              "nlp",
                                              "mae",
                                              "mse",
                                              "coverage",
                                              "width",
                                              "log_marginal",
                                              "loo",
                                              "converged",
                                              "seconds",
                                              "failure"};
  std::string out;
  append_csv_row(out, header);
  for (const Trial& t : trials) {
    std::vector<std::string> cells = {t.candidate, std::to_string(t.split + 1)};
    for (const double value : {t.scores.nlp,
                               t.scores.mae,
                               t.scores.mse,
                               t.scores.coverage,
                               t.scores.width,
                               t.log_marginal,
                               t.loo})
      cells.push_back(t.failed() ? "NA" : format_number(value));
    cells.emplace_back(t.failed() ? "NA" : t.converged ? "1" : "0");
    cells.push_back(format_number(t.seconds));
    cells.push_back(t.failure);
    append_csv_row(out, cells, text);
  }
  return out;
}

}  // namespace ggpm::cli
