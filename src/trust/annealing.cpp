// It is short because q is close: the weight of a run is the sum over temperatures of
// (t_k+1 - t_k) log ratio(eta_k).
#include "trust/annealing.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ggpm/learning.hpp"
#include "numeric/random.hpp"
#include "parallel/threads.hpp"
#include "trust/clock.hpp"
#include "trust/pareto.hpp"
#include "trust/slice.hpp"

namespace ggpm::internal {
namespace {

constexpr double kShare = 1 / 1.2;       // variances x 1.2 where the data decide
constexpr double kConstantRatio = 1e-6;  // the approximation is the posterior
constexpr int kFewestRuns = 20;
constexpr int kGlance = 20;  // draws at a time

double log_weight(const Target& target, const AnnealingOptions& options, std::uint64_t run) {
  Chain chain = start_chain(target, options.seed, run);
  double sum = chain.log_ratio;
  walk(
      target,
      chain,
      options.steps - 1,
      [&](int step) { return (step + 1.0) / options.steps; },
      [&](int) { sum += chain.log_ratio; });
  return sum / options.steps;
}

// Runs in blocks, as long as there is time.
Vector log_weights(const Target& target, const AnnealingOptions& options, const Stopwatch& watch) {
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const BlasThreads blas(1);
  Vector weights(options.runs);
  for (int first = 0; first < options.runs; first += kFewestRuns) {
    if (first > 0 && watch.left() < watch.seconds() * kFewestRuns / first)
      return weights.head(first);
    if (options.interrupted && options.interrupted())
      throw Interrupted("annealing: interrupted before there was an answer");
    const Index count = std::min(kFewestRuns, options.runs - first);
    for_blocks(count, 1, threads, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r)
        weights[first + r] = log_weight(target, options, static_cast<std::uint64_t>(first + r));
    });
    if (options.on_progress) options.on_progress(static_cast<double>(first + count) / options.runs);
  }
  return weights;
}

Annealed average(const Target& target, const Vector& log_weights) {
  const double top = log_weights.maxCoeff();
  if (!std::isfinite(top))
    throw NumericalError("annealing: no run reached a point where the likelihood is finite");
  const auto runs = static_cast<double>(log_weights.size());
  const Vector w = (log_weights.array() - top).exp();
  const double mean = w.mean();
  const double variance = (w.array() - mean).square().sum() / (runs - 1);
  return {.log_marginal = target.log_normalizer() + top + std::log(mean),
          .standard_error = std::sqrt(variance / runs) / mean,
          .runs = static_cast<int>(log_weights.size()),
          .pareto_k = pareto_k(log_weights)};
}

}  // namespace

Vector importance_weights(const Target& target, int draws, std::uint64_t seed, int threads) {
  if (threads <= 0) threads = default_threads();
  const BlasThreads blas(1);
  Vector out(draws);
  const Index blocks = (draws + kGlance - 1) / kGlance;
  for_blocks(blocks, 1, threads, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      std::mt19937_64 random = numeric::random_stream(seed, static_cast<std::uint64_t>(b));
      const Index first = b * kGlance, count = std::min<Index>(kGlance, draws - first);
      const Matrix eta = draw_gaussian(target, count, random);
      for (Index k = 0; k < count; ++k) out[first + k] = target.log_ratio(eta.col(k));
    }
  });
  return out;
}

Annealed anneal(const Latents& latents,
                const Posterior& posterior,
                const AnnealingOptions& options) {
  if (options.runs < kFewestRuns || options.steps < 1)
    throw UsageError(fmt::format(
        "annealing: runs = {}, steps = {}; an error bar needs at least {} runs of 1 step",
        options.runs,
        options.steps,
        kFewestRuns));
  const Stopwatch watch(options.seconds);
  const Target fitted(latents, posterior);
  const Vector glance = importance_weights(fitted, kGlance, options.seed, options.threads);
  if (glance.maxCoeff() - glance.minCoeff() < kConstantRatio) return average(fitted, glance);
  const Target wide(latents, posterior, kShare);
  return average(wide, log_weights(wide, options, watch));
}

}  // namespace ggpm::internal
