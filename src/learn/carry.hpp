// What a climb on some rows leaves to the climb on more of them.
#pragma once

#include "learn/optimize.hpp"

namespace ggpm::internal {

// More rows bend the log marginal in proportion, but for directions along which it is flat: about
// the variance of an intercept, or an input of no use, all rows together tell no more than some.
void carry_curvature(std::vector<Climb>& climbs, Index from, Index to);

// The latents that the rows of `from` foretell for those of `to`, as sites: inference begins there, some
// steps ahead of where it would by itself. For log-concave likelihoods of one latent; others keep nothing.
void carry_sites(std::vector<Climb>& climbs, const LearningTask& from, const LearningTask& to);

}  // namespace ggpm::internal
