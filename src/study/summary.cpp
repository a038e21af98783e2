#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ggpm/study.hpp"

namespace ggpm {
namespace {

template <class Value>
MeanSd over(const std::vector<const Trial*>& trials, Value value) {
  std::vector<double> values;
  values.reserve(trials.size());
  for (const Trial* trial : trials) values.push_back(value(*trial));
  return mean_sd(values);
}

CandidateSummary summarize_one(const std::string& name, const std::vector<const Trial*>& all) {
  CandidateSummary out{.name = name, .trials = static_cast<int>(all.size())};
  std::vector<const Trial*> good;
  for (const Trial* trial : all) {
    if (!trial->failed()) {
      good.push_back(trial);
    } else if (out.failures++ == 0) {
      out.failure = trial->failure;
    }
  }
  out.mae = over(good, [](const Trial& t) { return t.scores.mae; });
  out.mse = over(good, [](const Trial& t) { return t.scores.mse; });
  out.nlp = over(good, [](const Trial& t) { return t.scores.nlp; });
  out.coverage = over(good, [](const Trial& t) { return t.scores.coverage; });
  out.width = over(good, [](const Trial& t) { return t.scores.width; });
  out.log_marginal = over(good, [](const Trial& t) { return t.log_marginal; });
  out.loo = over(good, [](const Trial& t) { return t.loo; });
  out.seconds = over(good, [](const Trial& t) { return t.seconds; });
  return out;
}

// (splits, ranked candidates) of a score, only splits in which all of them ended.
template <class Value>
Matrix block_table(const std::vector<std::string>& names,
                   std::span<const Trial> trials,
                   Value value) {
  std::map<std::string, Index> column;
  for (const std::string& name : names) column.emplace(name, static_cast<Index>(column.size()));
  std::map<Index, Vector> blocks;
  const auto k = static_cast<Index>(names.size());
  for (const Trial& trial : trials) {
    const auto found = column.find(trial.candidate);
    if (found == column.end() || trial.failed()) continue;
    Vector& row = blocks.try_emplace(trial.split, Vector::Constant(k, std::nan(""))).first->second;
    row[found->second] = value(trial);
  }
  std::erase_if(blocks, [](const auto& block) { return !block.second.allFinite(); });
  Matrix out(static_cast<Index>(blocks.size()), k);
  Index i = 0;
  for (const auto& [split, row] : blocks) out.row(i++) = row;
  return out;
}

std::string recommend(const Summary& summary) {
  const CandidateSummary& best = summary.candidates.front();
  std::string line = fmt::format("{}: best NLP ({:.4g})", best.name, best.nlp.mean);
  if (summary.ranked.size() < 2 || summary.blocks < 2) return line;
  const CandidateSummary& second = summary.candidates[1];
  const auto pair = std::find_if(summary.pairs_by_nlp.begin(),
                                 summary.pairs_by_nlp.end(),
                                 [](const PairTest& t) { return t.first == 0 && t.second == 1; });
  int alike = 0;
  for (const PairTest& t : summary.pairs_by_nlp)
    if (t.first == 0 && !(t.p < 0.05)) ++alike;
  line += fmt::format(" and average rank {:.2f} of {} over {} splits (Friedman p = {:.2g})",
                      best.nlp_rank,
                      summary.ranked.size(),
                      summary.blocks,
                      summary.by_nlp.p);
  if (alike == 0)
    return line +
           fmt::format("; better than each other one (pairwise p < 0.05), next {} with {:.4g}",
                       second.name,
                       second.nlp.mean);
  return line +
         fmt::format("; not significantly better than {} other{}, next {} with {:.4g} (p = {:.2g})",
                     alike,
                     alike == 1 ? "" : "s",
                     second.name,
                     second.nlp.mean,
                     pair->p);
}

}  // namespace

Summary summarize(std::span<const Candidate> candidates, std::span<const Trial> trials) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const Candidate& candidate : candidates) names.push_back(candidate.name());
  return summarize(names, trials);
}

Summary summarize(std::span<const std::string> names, std::span<const Trial> trials) {
  Summary out;
  for (const std::string& name : names) {
    std::vector<const Trial*> own;
    for (const Trial& trial : trials)
      if (trial.candidate == name) own.push_back(&trial);
    out.candidates.push_back(summarize_one(name, own));
  }
  // A candidate that fails now and then is not better for the splits on which it does not.
  const auto key = [](const CandidateSummary& c) {
    return std::pair(c.failures > 0 || c.trials == 0,
                     std::isnan(c.nlp.mean) ? std::numeric_limits<double>::infinity() : c.nlp.mean);
  };
  std::stable_sort(out.candidates.begin(), out.candidates.end(), [&](const auto& a, const auto& b) {
    return key(a) < key(b);
  });
  for (const CandidateSummary& c : out.candidates)
    if (c.failures == 0 && c.trials > 0) out.ranked.push_back(c.name);
  if (out.ranked.empty()) {
    out.recommendation = "nothing to recommend: no candidate ended all of its splits";
    return out;
  }
  out.best = out.ranked.front();
  if (out.ranked.size() > 1) {
    const Matrix nlp = block_table(out.ranked, trials, [](const Trial& t) { return t.scores.nlp; });
    const Matrix mae = block_table(out.ranked, trials, [](const Trial& t) { return t.scores.mae; });
    out.blocks = nlp.rows();
    if (out.blocks > 0) {
      out.by_nlp = friedman_test(nlp);
      out.by_mae = friedman_test(mae);
      out.pairs_by_nlp = pairwise_friedman_tests(nlp);
      out.pairs_by_mae = pairwise_friedman_tests(mae);
      for (std::size_t i = 0; i < out.ranked.size(); ++i) {
        out.candidates[i].nlp_rank = out.by_nlp.average_ranks[i];
        out.candidates[i].mae_rank = out.by_mae.average_ranks[i];
      }
    }
  }
  out.recommendation = recommend(out);
  return out;
}

}  // namespace ggpm
