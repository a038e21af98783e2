// Average ranks with Friedman tests, beside those that the paper prints.
#pragma once

#include <string>
#include <vector>

#include "experiments/reproduction.hpp"

namespace ggpm::paper {

// Names of the candidates that are ranked against each other; several such groups are pooled.
using RankGroups = std::vector<std::vector<std::string>>;

enum class RankedScore { nlp, mae };
const char* name_of(RankedScore score);  // "NLP"

// (splits x groups, candidates of a group); blocks in which a fit failed are left out.
Matrix rank_blocks(const std::vector<Trial>& trials, const RankGroups& groups, RankedScore score);

struct PrintedRanks {
  std::vector<std::string> names;  // of the treatments, as the paper calls them
  std::vector<double> ranks;
  double p = kNone;
};

// Adds a test; none where there are no blocks.
Friedman add_test(const std::string& table,
                  const std::string& row,
                  const std::string& quantity,
                  const PrintedRanks& printed,
                  const Matrix& values,
                  Reproduction& out);

// The same for columns `first` and `second` alone.
void add_pair_test(const std::string& table,
                   const std::string& row,
                   const std::string& quantity,
                   const PrintedRanks& printed,
                   const Matrix& values,
                   Index first,
                   Index second,
                   Reproduction& out);

}  // namespace ggpm::paper
