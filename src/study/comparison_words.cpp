#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ggpm/study.hpp"
#include "text/text.hpp"

namespace ggpm {
namespace {

std::string spread(const MeanSd& value) {
  return std::isfinite(value.mean) ? fmt::format("{:.4g} ± {:.2g}", value.mean, value.sd) : "-";
}

using Parts = std::vector<std::string>;

// "poisson, laplace, rbf(1, 2), mean constant" as its parts; none: a name that somebody gave.
Parts parts_of(const std::string& name) {
  Parts parts;
  try {
    parts = parse_parts("name", name);
  } catch (const UsageError&) {
    return {};
  }
  const std::vector<InferenceInfo> methods = inference_table();
  const bool ours =
      parts.size() >= 3 &&
      (parts[1] == "auto" ||
       std::any_of(methods.begin(), methods.end(), [&](auto& m) { return m.name == parts[1]; }));
  return ours ? parts : Parts();
}

// Part k of all of them is one; of methods exact ones do not count.
std::string common_part(const std::vector<Parts>& names, std::size_t k) {
  std::string common;
  for (const Parts& parts : names) {
    const std::string part = k < parts.size() ? parts[k] : "";
    if (k == 1 && part == "exact") continue;
    if (part.empty() || (!common.empty() && part != common)) return "";
    common = part;
  }
  return common;
}

}  // namespace

ShortNames short_names(const std::vector<CandidateSummary>& candidates) {
  ShortNames out;
  std::vector<Parts> names;
  names.reserve(candidates.size());
  for (const CandidateSummary& c : candidates) names.push_back(parts_of(c.name));
  const bool ours =
      std::none_of(names.begin(), names.end(), [](const Parts& p) { return p.empty(); });
  std::vector<std::string> common;
  for (std::size_t k = 1; k < 4 && ours && names.size() > 1; ++k) {
    common.push_back(common_part(names, k));
    if (!common.back().empty())
      out.shared += (out.shared.empty() ? "all with " : ", ") + common.back();
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::string& shown = out.of[candidates[i].name];
    for (std::size_t k = 0; k < names[i].size(); ++k)
      if (k == 0 || k > common.size() || common[k - 1].empty())
        shown += (shown.empty() ? "" : ", ") + names[i][k];
    if (!ours) shown = candidates[i].name;
  }
  return out;
}

std::string friedman_line(std::string_view score, const Friedman& test) {
  return fmt::format("Friedman test of {}: chi-squared {:.4g}, {} degrees of freedom, p = {:.3g}",
                     score,
                     test.statistic,
                     test.degrees_of_freedom,
                     test.p);
}

std::vector<std::vector<std::string>> pairs_table(const Summary& summary) {
  std::vector<std::vector<std::string>> rows;
  const ShortNames names = short_names(summary.candidates);
  for (const PairTest& t : summary.pairs_by_nlp) {
    if (t.first != 0) continue;
    rows.push_back({names.of.at(summary.ranked[static_cast<std::size_t>(t.second)]),
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
  const ShortNames names = short_names(summary.candidates);
  for (const CandidateSummary& c : summary.candidates) {
    const std::string& name = names.of.at(c.name);
    if (c.trials == c.failures) {
      rows.push_back({name, c.trials == 0 ? "not run" : "failed"});
      continue;
    }
    const auto rank = [](double value) { return value > 0 ? fmt::format("{:.2f}", value) : "-"; };
    rows.push_back({name,
                    spread(c.nlp),
                    spread(c.mae),
                    spread(c.mse),
                    fmt::format("{:.3f}", c.coverage.mean),
                    rank(c.nlp_rank),
                    rank(c.mae_rank),
                    fmt::format("{:.2f}", c.log_marginal.mean),
                    fmt::format("{:.4g}", c.loo.mean),
                    text::with_digits(c.seconds.mean, 2)});
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
