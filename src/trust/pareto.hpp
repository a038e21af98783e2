#pragma once

#include "ggpm/types.hpp"

namespace ggpm::internal {

// The shape of the tail of importance weights by Zhang and Stephens (2009): below 0.7 they can be
// trusted (Vehtari et al. 2024). NaN where there is no tail to look at: fewer than 25 draws.
// 0 where weights are nearly equal.
double pareto_k(Vector log_weights);

}  // namespace ggpm::internal
