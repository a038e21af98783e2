#include "experiments/ranks.hpp"

#include <algorithm>
#include <map>

namespace ggpm::paper {

bool RankTest::same_outcome() const {
  const auto best = [](const std::vector<double>& ranks) {
    return std::min_element(ranks.begin(), ranks.end()) - ranks.begin();
  };
  const bool differ = ours.p < 0.05;
  return differ == (paper_p < 0.05) && (!differ || best(ours.average_ranks) == best(paper));
}

const char* name_of(RankedScore score) { return score == RankedScore::nlp ? "NLP" : "MAE"; }

Matrix rank_blocks(const std::vector<Trial>& trials, const RankGroups& groups, RankedScore score) {
  std::map<std::pair<Index, std::string>, double> found;
  Index splits = 0;
  for (const Trial& t : trials) {
    splits = std::max(splits, t.split + 1);
    if (!t.failed())
      found[{t.split, t.candidate}] = score == RankedScore::nlp ? t.scores.nlp : t.scores.mae;
  }
  const auto columns = static_cast<Index>(groups.front().size());
  Matrix out(splits * static_cast<Index>(groups.size()), columns);
  Index rows = 0;
  for (Index split = 0; split < splits; ++split)
    for (const std::vector<std::string>& group : groups) {
      bool whole = true;
      for (Index j = 0; j < columns && whole; ++j) {
        const auto value = found.find({split, group[static_cast<std::size_t>(j)]});
        whole = value != found.end();
        if (whole) out(rows, j) = value->second;
      }
      rows += whole ? 1 : 0;
    }
  return out.topRows(rows);
}

Friedman add_test(const std::string& table,
                  const std::string& row,
                  const std::string& quantity,
                  const PrintedRanks& printed,
                  const Matrix& values,
                  Reproduction& out) {
  if (values.rows() == 0) return {};
  out.tests.push_back({.table = table,
                       .row = row,
                       .quantity = quantity,
                       .names = printed.names,
                       .paper = printed.ranks,
                       .paper_p = printed.p,
                       .ours = friedman_test(values),
                       .blocks = values.rows()});
  return out.tests.back().ours;
}

void add_pair_test(const std::string& table,
                   const std::string& row,
                   const std::string& quantity,
                   const PrintedRanks& printed,
                   const Matrix& values,
                   Index first,
                   Index second,
                   Reproduction& out) {
  Matrix pair(values.rows(), 2);
  pair << values.col(first), values.col(second);
  add_test(table, row, quantity, printed, pair, out);
}

}  // namespace ggpm::paper
