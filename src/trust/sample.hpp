// Markov chains over the latents, until they agree.
#pragma once

#include "ggpm/trust.hpp"
#include "trust/target.hpp"

namespace ggpm::internal {

PosteriorSample sample_latents(const Latents& latents,
                               const Posterior& posterior,
                               const SamplingOptions& options);

}  // namespace ggpm::internal
