// The double loop: EP as a sequence of convex problems, for data on which sweeps do not settle.
#pragma once

#include "inference/iterate.hpp"

namespace ggpm::internal {

// EP is the saddle of log Z_tilted(cavities) + log Z_gauss(sites) - log Z_marginal(marginals), all
// as functions of natural parameters with marginals = cavities + sites. The last term is held at
// the current marginals (outer loop); what remains is convex in the sites and is minimized by
// L-BFGS (inner loop). Each round lowers the free energy, so this converges where sweeps oscillate,
// slowly. `point` has been evaluated; on return it is the last one, evaluated last. True if it
// converged.
bool run_double_loop(const Problem& problem,
                     SiteIteration& iteration,
                     SitePoint& point,
                     Report& report);

}  // namespace ggpm::internal
