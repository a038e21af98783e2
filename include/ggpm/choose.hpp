// "auto": what is taken where the user leaves the likelihood or the inference open, and why.
//
//   Completion done = complete_specification({.kernel = "rbf(ard=true)"}, {true, true}, data,
//                                            recognize_domain(y).domain);
//   GeneralizedGP model = GeneralizedGP::fit(data, done.specification);
//   done.reasons   // "likelihood poisson: leave-one-out log density -124.1 on 80 rows, ...",
//                  // "inference ep for 80 rows"
#pragma once

#include <string>
#include <vector>

#include "ggpm/model.hpp"

namespace ggpm {

// What is left open; what is not stays as it is.
struct OpenChoices {
  bool likelihood = false;
  bool inference = false;
};

struct Completion {
  Specification specification;
  std::vector<std::string> reasons;  // one for each choice, for a person
};

// The likelihood: fits every one of the domain, quickly, to at most a few hundred of the rows, and
// compares leave-one-out densities; of those that the data cannot tell apart, the simplest. A link
// that was given leaves those that have it. The inference: the most accurate method that fits into
// a minute or two for this many rows. A warp needs gaussian and exact. Deterministic for a seed.
Completion complete_specification(Specification specification,
                                  OpenChoices open,
                                  const Dataset& data,
                                  Domain domain,  // of y; looked at if the likelihood is open
                                  const FitOptions& options = {});

}  // namespace ggpm
