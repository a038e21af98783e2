// "auto": what is taken where the user leaves the likelihood or the inference open, and why.
//
//   Completion done = complete_specification({.likelihood = "auto"}, data);
//   GeneralizedGP model = GeneralizedGP::fit(data, done.specification);
//   done.reasons   // "80 rows, all whole numbers 2…16 → count",
//                  // "likelihood poisson: leave-one-out log density -124.1 on 80 rows, ...",
//                  // "inference ep for 80 rows"
//
// GeneralizedGP::fit does so by itself; this is for those who want to tell before they fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ggpm/model.hpp"

namespace ggpm {

// Whether the likelihood or the kernel ("auto") or the inference (none) is left open.
bool is_open(const Specification& specification);
// Of the likelihood that is named; none: it is to be chosen by the outputs.
std::optional<Domain> given_domain(const Specification& specification);

struct Completion {
  Specification specification;
  std::vector<std::string> reasons;  // one for each choice, for a person
};

// What "auto" may take for outputs of a domain, the simplest first: a name, or one with a link as
// "negative-binomial/log". Those that people of the field would ask about come last.
std::vector<std::string> automatic_likelihoods(Domain domain);

// The likelihood: fits every one of the domain, quickly, to at most a few hundred of the rows, and
// compares leave-one-out densities; of those that the data cannot tell apart, the simplest. One that
// is unusual must be better than the others by two standard errors. A link that was given leaves
// those that have it. The kernel, if it is "auto": rbf, matern52 or matern32, with length-scales of
// their own for the inputs where rows allow, by the log marginal. The inference: the most accurate method that fits into
// a minute or two for this many rows. A warp needs gaussian and exact. Deterministic for a seed.
Completion complete_specification(const Specification& specification,
                                  const Dataset& data,
                                  Domain domain,  // of y; looked at if the likelihood is open
                                  const FitOptions& options = {});
// The domain is recognized, with trials if there are any other than 1.
Completion complete_specification(const Specification& specification,
                                  const Dataset& data,
                                  const FitOptions& options = {});

// What learns hyperparameters: the inference that is named, but for mcmc what "auto" takes.
InferenceMethod learning_method(const Specification& specification, const Dataset& data);

}  // namespace ggpm
