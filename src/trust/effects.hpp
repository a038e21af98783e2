// What an error of the latent posterior does to the answers that users read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ggpm/trust.hpp"

namespace ggpm::internal {

// The marginals of one approximation, and where its effects go.
struct Judged {
  const Posterior& posterior;
  MethodError& out;
};

// At no more than 500 of the rows.
void measure_effects(const Likelihood& likelihood,
                     const std::vector<Row>& rows,
                     const PosteriorSample& truth,
                     std::span<const Judged> judged,
                     int threads);

}  // namespace ggpm::internal
