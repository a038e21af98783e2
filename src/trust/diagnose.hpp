// An approximation, and on request the others, beside sampling.
#pragma once

#include "ggpm/trust.hpp"
#include "learn/objective.hpp"

namespace ggpm::internal {

// Everything but the PITs and the verdict. `posterior` and `log_marginal` are those of the task's
// own method.
Diagnosis diagnose_latents(const LearningTask& task,
                           const Posterior& posterior,
                           double log_marginal,
                           const DiagnosisOptions& options);

}  // namespace ggpm::internal
