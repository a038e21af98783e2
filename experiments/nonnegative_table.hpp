// What the paper prints for positive outputs.                       (tab:nnrnInfo, tab:abalone)
#pragma once

#include <string>
#include <vector>

#include "ggpm/study.hpp"

namespace ggpm::paper {

struct PrintedModel {
  std::string abbreviation, likelihood, warp;
  InferenceMethod inference;
};

struct PrintedRow {
  PrintedModel model;
  MeanSd mae, mse, nlp;
};

struct PrintedDataset {
  std::string name, file, target;
  std::vector<std::string> inputs;  // empty: all other columns
  Index train;
  std::vector<PrintedRow> rows;
};

const std::vector<PrintedDataset>& nonnegative_datasets();

}  // namespace ggpm::paper
