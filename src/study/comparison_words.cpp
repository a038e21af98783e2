#include <fmt/format.h>

#include <cmath>

#include "ggpm/study.hpp"

namespace ggpm {
namespace {

std::string spread(const MeanSd& value) {
  return std::isfinite(value.mean) ? fmt::format("{:.4g} ± {:.2g}", value.mean, value.sd) : "-";
}

}  // namespace

std::string friedman_line(std::string_view score, const Friedman& test) {
  return fmt::format("Friedman test of {}: chi-squared {:.4g}, {} degrees of freedom, p = {:.3g}",
                     score,
                     test.statistic,
                     test.degrees_of_freedom,
                     test.p);
}

std::vector<std::vector<std::string>> pairs_table(const Summary& summary) {
  std::vector<std::vector<std::string>> rows;
  for (const PairTest& t : summary.pairs_by_nlp) {
    if (t.first != 0) continue;
    rows.push_back({summary.ranked[static_cast<std::size_t>(t.second)],
                    fmt::format("{:.3f}, {:.3f}", t.first_rank, t.second_rank),
                    fmt::format("{:.3g}", t.p),
                    fmt::format("{:.3g}", t.adjusted_p)});
  }
  return rows;
}

std::vector<std::vector<std::string>> comparison_table(const Summary& summary) {
  std::vector<std::vector<std::string>> rows = {{"candidate",
                                                 "NLP",
                                                 "MAE",
                                                 "MSE",
                                                 "coverage",
                                                 "rank NLP",
                                                 "rank MAE",
                                                 "log marginal",
                                                 "LOO",
                                                 "seconds"}};
  for (const CandidateSummary& c : summary.candidates) {
    if (c.trials == c.failures) {
      rows.push_back({c.name, c.trials == 0 ? "not run" : "failed"});
      continue;
    }
    const auto rank = [](double value) { return value > 0 ? fmt::format("{:.2f}", value) : "-"; };
    rows.push_back({c.name,
                    spread(c.nlp),
                    spread(c.mae),
                    spread(c.mse),
                    fmt::format("{:.3f}", c.coverage.mean),
                    rank(c.nlp_rank),
                    rank(c.mae_rank),
                    fmt::format("{:.2f}", c.log_marginal.mean),
                    fmt::format("{:.4g}", c.loo.mean),
                    fmt::format("{:.2g}", c.seconds.mean)});
  }
  return rows;
}

std::vector<std::string> failure_lines(const Summary& summary) {
  std::vector<std::string> out;
  for (const CandidateSummary& c : summary.candidates)
    if (c.failures > 0)
      out.push_back(
          fmt::format("{}: {} of {} fits failed: {}", c.name, c.failures, c.trials, c.failure));
  return out;
}

std::string comparison_heading(std::size_t splits, Index train) {
  return fmt::format(
      "{} split{} with {} training rows; mean ± sd; NLP: mean of -log p(y), smaller is better; "
      "coverage of 95 % intervals",
      splits,
      splits == 1 ? "" : "s",
      train);
}

}  // namespace ggpm
