// Have the chains come together, and how many independent draws are they worth?
// Vehtari, Gelman, Simpson, Carpenter and Burkner (2021), "Rank-normalization, folding, and
// localization: an improved R-hat". Rows of `draws` are draws, columns are chains.
#pragma once

#include "ggpm/types.hpp"

namespace ggpm::internal {

// NaN with fewer than four draws a chain.
double split_r_hat(const Matrix& draws);  // the larger of bulk and folded, rank-normalized
// NaN with fewer than eight: each half of a chain is one.
double bulk_ess(const Matrix& draws);
double tail_ess(const Matrix& draws);  // the smaller of those of the 5 % and the 95 % quantile
double mean_ess(const Matrix& draws);  // for the Monte Carlo error of a mean

}  // namespace ggpm::internal
