#include "trust/diagnose.hpp"

#include <cmath>
#include <limits>

#include "parallel/threads.hpp"
#include "trust/annealing.hpp"
#include "trust/clock.hpp"
#include "trust/effects.hpp"
#include "trust/pareto.hpp"
#include "trust/sample.hpp"
#include "trust/slice.hpp"

namespace ggpm::internal {
namespace {

constexpr int kWeights = 1000;  // of importance sampling
constexpr int kForecastSteps = 8;
constexpr double kShareOfSampling = 0.6;  // of the time; the rest is for annealing

// An approximation of the same posterior.
struct Approximation {
  InferenceMethod method;
  double log_marginal;
  Posterior posterior;
};

// By a few steps that are thrown away.
double forecast(const Latents& latents,
                const Posterior& posterior,
                const DiagnosisOptions& options) {
  const Stopwatch whole;
  const Target target(latents, posterior);
  const double setup = whole.seconds();
  Chain chain = start_chain(target, options.sampling.seed, 0);
  const Stopwatch watch;
  walk(
      target, chain, kForecastSteps, [](int) { return 1.0; }, [](int) {});
  const double a_step = watch.seconds() / kForecastSteps;
  const SamplingOptions& s = options.sampling;
  const double steps = static_cast<double>(s.chains) * (s.warmup + s.draws * std::max(s.thin, 1)) +
                       static_cast<double>(options.annealing.runs) * options.annealing.steps;
  const int threads = s.threads > 0 ? s.threads : default_threads();
  return 4 * setup + a_step * steps / threads;
}

// The other methods that this likelihood takes, at the same hyperparameters.
std::vector<Approximation> other_methods(const LearningTask& task, const Stopwatch& watch) {
  std::vector<Approximation> out;
  Inference inference(task.engine, task.data->observed);
  for (const InferenceInfo& info : inference_table()) {
    if (info.method == task.inference.method || watch.left() <= 0) continue;
    InferenceOptions options = task.inference;
    options.method = info.method;
    options.gradient = false;
    try {
      Inferred inferred =
          inference.evaluate(task.parts.kernel, task.parts.mean, *task.parts.likelihood, options);
      out.push_back({info.method, inferred.log_marginal, std::move(inferred.posterior)});
    } catch (const UsageError&) {  // not for this likelihood
    } catch (const DataError&) {   // not for one of these outputs
    } catch (const NumericalError&) {
    }
  }
  return out;
}

double tail_of_weights(const Latents& latents, const Posterior& q, const SamplingOptions& options) {
  try {
    return pareto_k(
        importance_weights(Target(latents, q), kWeights, options.seed, options.threads));
  } catch (const NumericalError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

MethodError beside(const Approximation& q, const PosteriorSample& truth, const Annealed& marginal) {
  MethodError out;
  out.method = q.method;
  out.log_marginal = q.log_marginal;
  out.log_marginal_error = q.log_marginal - marginal.log_marginal;
  // A latent that cannot move has no error.
  const auto moves = truth.sd.array() > 0;
  out.mean_error = moves.select((q.posterior.mean - truth.mean).cwiseQuotient(truth.sd), 0.0);
  out.sd_ratio = moves.select(q.posterior.variance.cwiseSqrt().cwiseQuotient(truth.sd), 1.0);
  return out;
}

}  // namespace

Diagnosis diagnose_latents(const LearningTask& task,
                           const Posterior& posterior,
                           double log_marginal,
                           const DiagnosisOptions& options) {
  const Stopwatch watch(options.seconds);
  const Latents latents(task, posterior.jitter);
  if (options.on_forecast) options.on_forecast(forecast(latents, posterior, options));
  SamplingOptions sampling = options.sampling;
  AnnealingOptions annealing = options.annealing;
  if (options.seconds > 0) sampling.seconds = std::max(kShareOfSampling * watch.left(), 1e-3);
  Diagnosis out;
  out.truth = sample_latents(latents, posterior, sampling);
  if (options.seconds > 0) annealing.seconds = std::max(watch.left(), 1e-3);
  out.marginal = anneal(latents, posterior, annealing);

  std::vector<Approximation> methods = {{task.inference.method, log_marginal, posterior}};
  if (options.all)
    for (Approximation& other : other_methods(task, watch)) methods.push_back(std::move(other));
  for (const Approximation& q : methods) {
    out.methods.push_back(beside(q, out.truth, out.marginal));
    out.methods.back().pareto_k = tail_of_weights(latents, q.posterior, sampling);
  }
  std::vector<Judged> judged;
  for (std::size_t m = 0; m < methods.size(); ++m)
    judged.push_back({methods[m].posterior, out.methods[m]});
  measure_effects(latents.likelihood, latents.rows, out.truth.draws, judged, sampling.threads);
  out.seconds = watch.seconds();
  return out;
}

}  // namespace ggpm::internal
