// --likelihood auto and --inference auto: what is taken, and why.
#pragma once

#include <string>

#include "ggpm/model.hpp"

namespace ggpm::cli {

struct LikelihoodChoice {
  std::string name;
  std::string reason;  // "negative-binomial: leave-one-out log density 24.1 ± 6.0 above poisson"
};

// Fits every likelihood of the domain, quickly, to at most a few hundred of the rows, and compares
// leave-one-out densities; of those that the data cannot tell apart, the simplest. Deterministic
// for a seed.
LikelihoodChoice choose_likelihood(const TrainingData& data,
                                   Domain domain,
                                   const Specification& specification,
                                   const FitOptions& options);

struct InferenceChoice {
  InferenceMethod method;
  std::string reason;
};
// The most accurate method that fits the time of a coffee for this many rows.
InferenceChoice choose_inference(const Likelihood& likelihood, Index rows);

}  // namespace ggpm::cli
