// All experiments on one page: docs/reproduction.md.
#pragma once

#include <string>
#include <vector>

#include "experiments/reproduction.hpp"

namespace ggpm::paper {

// What the overview says of an experiment. It is kept beside the experiment's page, so that one can be
// run again without the others.
struct Outcome {
  std::string name, title, setting;
  struct Share {
    std::string table, column;
    Balance of;
  };
  std::vector<Share> shares;
  int tests = 0, same = 0;  // of the first column
  int claims = 0, hold = 0;
  double minutes = 0;  // of processor time
  bool cut_short = false;
  bool earlier = false;  // taken over from a run of earlier code, not repeated since

  Balance first() const;  // of the first column, all tables
};

Outcome outcome_of(const Reproduction& result);
std::string to_json(const Outcome& outcome);
Outcome read_outcome(const std::string& json);  // DataError where it is none

std::vector<std::vector<std::string>> overview_table(const std::vector<Outcome>& outcomes);
std::string verdict_of(const std::vector<Outcome>& outcomes);     // a paragraph
std::string overview_page(const std::vector<Outcome>& outcomes);  // Markdown

}  // namespace ggpm::paper
