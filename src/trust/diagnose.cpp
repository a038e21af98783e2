#include "trust/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gram/lapack.hpp"
#include "inference/method.hpp"
#include "numeric/constants.hpp"
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
constexpr int kEnoughDraws = 100;         // of a chain, to agree with the others
constexpr Index kManyRows = 2000;         // beyond, a forecast by trying takes long itself
constexpr double kPatience = 10;          // seconds beyond those that were allowed

// An approximation of the same posterior.
struct Approximation {
  InferenceMethod method;
  double log_marginal;
  Posterior posterior;
};

// From the number of operations and how long those of a product take here: factors and products of
// (n, n) matrices for each Gaussian, a product with a vector for each step.
double reckon(Index n, double steps) {
  constexpr Index kTried = 600;
  constexpr double kGaussians = 5;  // that one method needs
  const Matrix a = Matrix::Ones(kTried, kTried);
  Matrix product(kTried, kTried);
  double fastest = kInfinity;  // the first waits for threads to begin
  for (int k = 0; k < 5; ++k) {
    const Stopwatch watch;
    lapack::set_product(1, a, lapack::Op::plain, a, lapack::Op::plain, product);
    fastest = std::min(fastest, watch.seconds());
  }
  const double an_operation = fastest / (2 * std::pow(kTried, 3));
  const auto rows = static_cast<double>(n);
  return an_operation * (kGaussians * 3 * std::pow(rows, 3) + 2 * steps * rows * rows);
}

double steps_of(const DiagnosisOptions& options) {
  const SamplingOptions& s = options.sampling;
  return static_cast<double>(s.chains) * (s.warmup + s.draws * std::max(s.thin, 1)) +
         static_cast<double>(options.annealing.runs) * options.annealing.steps;
}

// Before any matrix of so many rows is made.
void foresee(Index n, const DiagnosisOptions& options) {
  if (n <= kManyRows) return;
  const double least = reckon(n, 0);
  if (options.seconds > 0 && least > options.seconds + kPatience)
    throw UsageError(fmt::format(
        "diagnose: {} rows take about {:.0f} s or more here, and {:g} s were allowed; allow more, or judge "
        "a fit to fewer rows",
        n,
        least,
        options.seconds));
  if (options.on_forecast) options.on_forecast(reckon(n, steps_of(options)));
}

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
  const int threads = options.sampling.threads > 0 ? options.sampling.threads : default_threads();
  return 4 * setup + a_step * steps_of(options) / threads;
}

// The same posterior by another method, at the same hyperparameters; nothing if it has no answer.
std::optional<Approximation> by_method(const LearningTask& task,
                                       Inference& inference,
                                       InferenceMethod method) {
  InferenceOptions options = task.inference;
  options.method = method;
  options.gradient = false;
  try {
    Inferred inferred =
        inference.evaluate(task.parts.kernel, task.parts.mean, *task.parts.likelihood, options);
    return Approximation{method, inferred.log_marginal, std::move(inferred.posterior)};
  } catch (const UsageError&) {  // not for this likelihood
  } catch (const DataError&) {   // not for one of these outputs
  } catch (const NumericalError&) {
  }
  return std::nullopt;
}

// Chains need a Gaussian that is near the posterior. Where those around the model's own do not agree,
// which says little for it, others are tried; `center` becomes the one that was taken.
PosteriorSample sample_around(const LearningTask& task,
                              const Latents& latents,
                              SamplingOptions sampling,
                              const Stopwatch& watch,
                              Posterior& center) {
  const auto take_time = [&] {
    if (std::isfinite(watch.left()))
      sampling.seconds = std::max(kShareOfSampling * watch.left(), 1e-3);
  };
  take_time();
  PosteriorSample first = sample_latents(latents, center, sampling);
  Inference inference(task.engine, task.data->observed);
  for (const InferenceMethod method : {InferenceMethod::ep, InferenceMethod::kld}) {
    if (first.converged() || sampling.draws < kEnoughDraws || watch.left() <= 0) break;
    if (method == task.inference.method) continue;
    const std::optional<Approximation> other = by_method(task, inference, method);
    if (!other) continue;
    take_time();
    try {
      PosteriorSample again = sample_latents(latents, other->posterior, sampling);
      if (!again.converged()) continue;
      again.detail = fmt::format(
          "sampling: chains around the Gaussian of {} did not agree; these are "
          "around that of {}",
          find_method(task.inference.method).label,
          find_method(method).label);
      center = other->posterior;
      return again;
    } catch (const NumericalError&) {  // it is no distribution
    }
  }
  return first;
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
  foresee(task.engine->size(), options);
  const Latents latents(task, posterior.jitter);
  if (options.on_forecast && task.engine->size() <= kManyRows)
    options.on_forecast(forecast(latents, posterior, options));
  AnnealingOptions annealing = options.annealing;
  Diagnosis out;
  Posterior center = posterior;
  out.truth = sample_around(task, latents, options.sampling, watch, center);
  if (options.seconds > 0) annealing.seconds = std::max(watch.left(), 1e-3);
  out.marginal = anneal(latents, center, annealing);

  std::vector<Approximation> methods = {{task.inference.method, log_marginal, posterior}};
  if (options.all) {
    Inference inference(task.engine, task.data->observed);
    for (const InferenceInfo& info : inference_table()) {
      if (info.method == task.inference.method) continue;
      if (watch.left() <= 0)
        out.cut_short = true;
      else if (auto other = by_method(task, inference, info.method))
        methods.push_back(std::move(*other));
    }
  }
  for (const Approximation& q : methods) {
    out.methods.push_back(beside(q, out.truth, out.marginal));
    out.methods.back().pareto_k = tail_of_weights(latents, q.posterior, options.sampling);
  }
  std::vector<Judged> judged;
  for (std::size_t m = 0; m < methods.size(); ++m)
    judged.push_back({methods[m].posterior, out.methods[m]});
  measure_effects(latents.likelihood, latents.rows, out.truth, judged, options.sampling.threads);
  out.seconds = watch.seconds();
  return out;
}

}  // namespace ggpm::internal
