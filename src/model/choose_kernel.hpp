// "auto" in place of a kernel.
#pragma once

#include <string>

#include "ggpm/model.hpp"

namespace ggpm::internal {

// How a candidate is fitted while something is being chosen: quickly, by the method that its
// likelihood has, without what only a person needs.
Specification to_try(Specification specification, const Dataset& data);
FitOptions quick(FitOptions options);
Dataset some_rows(const Dataset& data, std::uint64_t seed);  // at most a few hundred of them

// Sets the kernel and says why: rbf, matern52 or matern32, with a length-scale for each input where
// there are rows enough, by the log marginal less half the logarithm of the rows for each
// hyperparameter (BIC). The likelihood is known. Leaves rbf unless the gain is clear.
std::string choose_kernel(Specification& specification,
                          const Dataset& data,
                          const FitOptions& options);

}  // namespace ggpm::internal
