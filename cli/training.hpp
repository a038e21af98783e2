// From a table to what a fit needs.
#pragma once

#include <string>
#include <vector>

#include "cli/observed.hpp"
#include "ggpm/data.hpp"
#include "ggpm/model.hpp"

namespace ggpm::cli {

// What the user said about the table.
struct TableChoice {
  std::string path;  // "-": standard input
  ObservedColumns columns;
  std::vector<std::string> inputs;  // empty: all other columns
  MissingPolicy missing = MissingPolicy::error;
  bool standardize = true;
  bool squeeze = false;
};

struct Training {
  Table table;  // the rows that are used
  ObservedColumns columns;
  Design design;
  TrainingData data;
  Domain domain;       // of the likelihood, or recognized
  std::string reason;  // how it was recognized; empty if the likelihood was given
};

// `likelihood` is null where it is to be chosen by the domain of the target.
Training read_training(const TableChoice& choice, const Likelihood* likelihood);

// Of inputs and outputs as they enter the fit, 16 hexadecimal digits.
std::string data_hash(const TrainingData& data);

}  // namespace ggpm::cli
