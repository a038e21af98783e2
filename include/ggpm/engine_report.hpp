// What an engine is about to cost, and how near one that approximates has come.
#pragma once

#include <optional>
#include <string>

#include "ggpm/engine.hpp"

namespace ggpm {

class GeneralizedGP;

// Before a fit begins: the engine, what an evaluation will take and what memory, one sentence for a
// person. Empty where an exact engine will be done in no time, and nothing was left to it.
std::string engine_forecast(const EngineOptions& options,
                            Index rows,
                            Index inputs,
                            int threads = 0);

// The posterior at the training rows beside that of a finer engine with other cuts, given the same
// sites: of the dense one where there are few rows, otherwise of a tree of high accuracy. Beyond
// 20,000 rows it is the middle of four windows of so many rows; where those do not know enough, so
// many rows at random, whose sites are made stronger to stand for all, which overstates the error.
struct EngineCheck {
  Index rows = 0;               // compared
  double mean_rms_sd = 0;       // of the latent mean, in posterior standard deviations
  double log_variance_rms = 0;  // of the logarithm of the latent variance
};

// What the fit found. None: the engine is exact, or the file was written before there was a check.
std::optional<EngineCheck> engine_check(const GeneralizedGP& model);

}  // namespace ggpm
