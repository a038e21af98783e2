// What the paper prints for the counts of people.              (tab:crowds, tab:avg:crowds)
#pragma once

#include <span>

#include "experiments/ranks.hpp"

namespace ggpm::paper {

struct PrintedCrowdRow {
  const char* likelihood;
  InferenceMethod inference;
  double mae, nlp;              // 800 training frames
  MeanSd small_mae, small_nlp;  // 400 of them, ten times
};

// A test of two of the four likelihoods alone.
struct PrintedCrowdPair {
  RankedScore score;
  std::size_t first, second;  // of PO, L-PO, COM, L-COM
  double first_rank, p;
};

struct PrintedCrowd {
  const char *name, *file;
  std::span<const PrintedCrowdRow> rows;
  PrintedRanks nlp, mae;  // of the likelihoods, 400 frames (tab:crowd_lik)
  std::span<const PrintedCrowdPair> pairs;
};

std::span<const PrintedCrowd> printed_crowds();  // left, right

}  // namespace ggpm::paper
