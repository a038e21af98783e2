// Where the site iteration of EP and KLD begins.
#pragma once

#include "inference/iterate.hpp"

namespace ggpm::internal {

// An evaluated point: the warm sites if they still give a proper Gaussian, else those of a few
// Newton steps to the mode, else sites matched to the prior one at a time, else tight sites around
// the mode.
SitePoint start_sites(const Problem& problem, SiteIteration& iteration);

}  // namespace ggpm::internal
