// EP or KLD one site at a time, for data on which updating all sites together oscillates.
#pragma once

#include "inference/iterate.hpp"

namespace ggpm {

// Each site sees the marginals that the sites before it have left, kept up by rank-one updates of
// the covariance: n^3 a sweep, by vectors, and n^2 of memory that no other method needs. `point`
// has been evaluated; on return it is the best one, evaluated last. True if it converged.
bool run_sequential(const Problem& problem,
                    SiteIteration& iteration,
                    SitePoint& point,
                    Report& report);

}  // namespace ggpm
