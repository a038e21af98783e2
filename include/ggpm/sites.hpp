// What every inference method ends with: Gaussian sites, and the posterior over the latents that
// follows from them and the prior.                                    (eqn:approxpost:common)
#pragma once

#include "ggpm/types.hpp"

namespace ggpm {

// Site i is exp(-1/2 precision_i eta^2 + shift_i eta).
struct Sites {
  Vector precision;  // (n) any sign
  Vector shift;      // (n) precision x target
  Index size() const { return precision.size(); }
};

// What is known of the latents at the training inputs. Together with the kernel and the engine,
// which has the inputs and whatever else it needs of them, it is all that prediction needs: so it
// is what a model file stores.
struct Posterior {
  Sites sites;
  Vector prior_mean;       // (n) mean function + offset
  Vector alpha;            // (n) mean = prior_mean + K alpha, K that of the engine
  Vector mean;             // (n)
  Vector variance;         // (n)
  Vector cavity_mean;      // (n) of the latent without its own site
  Vector cavity_variance;  // (n) <= 0: there is none
  double jitter = 0;       // what the engine added to the diagonal of K, to be added again
};

}  // namespace ggpm
