// What the trust layer says of a fitted model.
#include "ggpm/trust.hpp"

#include <limits>

#include "ggpm/score.hpp"
#include "likelihood/softmax.hpp"
#include "model/state.hpp"
#include "trust/annealing.hpp"
#include "trust/diagnose.hpp"
#include "trust/sample.hpp"
#include "trust/verdict.hpp"

namespace ggpm {

using namespace internal;

namespace {

Latents latents_of(const GeneralizedGP& model) {
  require_one_latent(model.likelihood(), "sampling");
  return {model.state().task, model.posterior().jitter};
}

double pit_p_value(const GeneralizedGP& model, std::uint64_t seed) {
  try {
    return summarize_pit(model.loo().pit(seed)).p_value;
  } catch (const NumericalError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

PosteriorSample sample_posterior(const GeneralizedGP& model, const SamplingOptions& options) {
  return sample_latents(latents_of(model), model.posterior(), options);
}

Annealed annealed_log_marginal(const GeneralizedGP& model, const AnnealingOptions& options) {
  return anneal(latents_of(model), model.posterior(), options);
}

Diagnosis diagnose(const GeneralizedGP& model, const DiagnosisOptions& options) {
  require_one_latent(model.likelihood(), "diagnose");
  if (model.sampled())
    throw UsageError(
        "diagnose: mcmc is the sampling by which approximations are judged; to judge one, fit with "
        "ep or laplace");
  Diagnosis out =
      diagnose_latents(model.state().task, model.posterior(), model.log_marginal(), options);
  out.pit_p_value = pit_p_value(model, options.sampling.seed);
  out.trust = trust_of(out);
  out.verdict = verdict_of(out, model.observations().y);
  return out;
}

}  // namespace ggpm
