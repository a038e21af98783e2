// Annealed importance sampling (Neal 2001) along q ratio^t, t from 0 to 1.
#pragma once

#include "ggpm/trust.hpp"
#include "trust/target.hpp"

namespace ggpm::internal {

Annealed anneal(const Latents& latents,
                const Posterior& posterior,
                const AnnealingOptions& options);

// log of p(y, eta) / q(eta) at so many draws of q itself, without its constant.
Vector importance_weights(const Target& target, int draws, std::uint64_t seed, int threads);

}  // namespace ggpm::internal
