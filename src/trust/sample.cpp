#include "trust/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ggpm/learning.hpp"
#include "parallel/available_memory.hpp"
#include "parallel/threads.hpp"
#include "trust/clock.hpp"
#include "trust/convergence.hpp"
#include "trust/slice.hpp"

namespace ggpm::internal {
namespace {

constexpr double kGoodRHat = 1.01;
constexpr double kEssAChain = 100;
constexpr int kMostThin = 32;
constexpr int kBlock = 64;       // steps of a chain between two looks at the clock
constexpr int kFewestDraws = 8;  // two halves of four, of which each has an effective number
constexpr int kFewestInTime = 100;
constexpr int kEnoughToMix = 500;  // draws of a chain

void check(const SamplingOptions& options, Index n) {
  if (options.chains < 2)
    throw UsageError(fmt::format(
        "sampling: chains = {}; at least 2, better 4, are needed to see whether they agree",
        options.chains));
  if (options.draws < kFewestDraws)
    throw UsageError(fmt::format("sampling: draws = {}; a chain needs at least {}, better 1000",
                                 options.draws,
                                 kFewestDraws));
  if (options.warmup < 0 || options.thin < 0)
    throw UsageError(fmt::format(
        "sampling: warmup = {}, thin = {}; neither can be negative", options.warmup, options.thin));
  const std::uint64_t need = sizeof(double) * static_cast<std::uint64_t>(n) *
                             static_cast<std::uint64_t>(options.chains) *
                             static_cast<std::uint64_t>(options.draws),
                      limit = available_memory();
  if (need > limit)
    throw UsageError(fmt::format(
        "sampling: {} draws of {} chains for {} rows need about {} MB, the memory here is {} MB; "
        "take fewer draws",
        options.draws,
        options.chains,
        n,
        (need >> 20U) + 1,
        limit >> 20U));
}

// Chains side by side; each has its own random numbers and its own product, so that threads change
// no bit.
class Sampler {
 public:
  Sampler(const Target& target, const SamplingOptions& options)
      : target_(target),
        options_(options),
        threads_(options.threads > 0 ? options.threads : default_threads()),
        blas_(1) {
    if (!std::isfinite(target.log_ratio(target.mean())))
      throw NumericalError(
          "sampling: the likelihood is 0 or not finite at the mean of the approximate posterior");
    for (int c = 0; c < options.chains; ++c)
      chains_.push_back(start_chain(target, options.seed, static_cast<std::uint64_t>(c)));
  }

  void warm_up() {
    advance(
        options_.warmup, [](Index, int) {}, false);
  }

  // (n, chains x draws)
  Matrix run(int draws, int thin) {
    Matrix kept(target_.size(), Index{options_.chains} * draws);
    const auto keep = [&](Index c, int step) {
      if ((step + 1) % thin == 0)
        kept.col(c * draws + step / thin) = chains_[static_cast<std::size_t>(c)].eta;
    };
    advance(draws * thin, keep, true);
    return kept;
  }

  int threads() const { return threads_; }
  long evaluations() const {
    long sum = 0;
    for (const Chain& chain : chains_) sum += chain.evaluations;
    return sum;
  }

 private:
  template <class Visit>  // visit(chain, step)
  void advance(int steps, const Visit& visit, bool tell) {
    for (int first = 0; first < steps; first += kBlock) {
      if (options_.interrupted && options_.interrupted())
        throw Interrupted("sampling: interrupted before there was an answer");
      const int count = std::min(kBlock, steps - first);
      for_blocks(options_.chains, 1, threads_, [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c)
          walk(
              target_,
              chains_[static_cast<std::size_t>(c)],
              count,
              [](int) { return 1.0; },
              [&](int step) { visit(c, first + step); });
      });
      if (tell && options_.on_progress)
        options_.on_progress(static_cast<double>(first + count) / steps);
    }
  }

  const Target& target_;
  const SamplingOptions& options_;
  int threads_;
  BlasThreads blas_;
  std::vector<Chain> chains_;
};

void judge(PosteriorSample& sample, int threads) {
  const Index n = sample.draws.rows(), kept = sample.draws.cols() / sample.chains;
  for (Vector* v : {&sample.mean,
                    &sample.sd,
                    &sample.r_hat,
                    &sample.bulk_ess,
                    &sample.tail_ess,
                    &sample.mean_error})
    v->resize(n);
  for_blocks(n, 8, threads, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Vector row = sample.draws.row(i);
      const Eigen::Map<const Matrix> chains(row.data(), kept, sample.chains);
      sample.mean[i] = row.mean();
      sample.sd[i] = std::sqrt((row.array() - sample.mean[i]).square().sum() /
                               static_cast<double>(row.size() - 1));
      sample.r_hat[i] = split_r_hat(chains);
      sample.bulk_ess[i] = bulk_ess(chains);
      sample.tail_ess[i] = tail_ess(chains);
      sample.mean_error[i] = sample.sd[i] / std::sqrt(mean_ess(chains));
    }
  });
}

// Chains that mix slowly want longer runs, chains that are stuck another Gaussian.
bool stuck(const PosteriorSample& sample) { return sample.smallest_ess() < 10 * sample.chains; }

std::string detail_of(const PosteriorSample& sample, double first_share, int asked) {
  const auto draws = static_cast<int>(sample.draws.cols() / sample.chains);
  if (!sample.converged()) {
    Index worst = 0;
    sample.r_hat.maxCoeff(&worst);
    const std::string found = fmt::format(
        "R-hat is {:.3f} at row {}, the smallest effective number "
        "of draws {:.0f}",
        sample.r_hat[worst],
        worst + 1,
        sample.smallest_ess());
    if (draws < asked)
      return fmt::format(
          "sampling: there was time for {} of {} draws a chain, which do not agree yet: {}; allow "
          "more time",
          draws,
          asked,
          found);
    return fmt::format(
        "sampling: the chains do not agree yet: {}; {}",
        found,
        draws >= kEnoughToMix && stuck(sample)
            ? "more draws will hardly help, since the posterior has several modes or "
              "is far from the fitted Gaussian"
            : "take more draws");
  }
  if (draws < asked)
    return fmt::format("sampling: there was time for {} of {} draws a chain", draws, asked);
  if (sample.share < first_share)
    return fmt::format(
        "sampling: the fitted Gaussian is too narrow to propose from; {} of the sites' precision "
        "was kept",
        sample.share);
  return {};
}

// So many draws as there is time for, by what the steps so far have taken.
int affordable_draws(const SamplingOptions& options, double seconds_a_step, double left) {
  const double most = left / std::max(seconds_a_step, 1e-9);
  if (most >= options.draws) return options.draws;
  return std::min(options.draws, std::max(kFewestInTime, static_cast<int>(most)));
}

PosteriorSample try_target(const Target& target,
                           const SamplingOptions& options,
                           const Stopwatch& watch) {
  Sampler sampler(target, options);
  const double before = watch.seconds();
  sampler.warm_up();
  const double a_step = (watch.seconds() - before) / std::max(options.warmup, 1);
  PosteriorSample out;
  out.chains = options.chains;
  out.share = target.share();
  const int draws = affordable_draws(options, a_step, watch.left());
  for (out.thin = std::max(options.thin, 1);; out.thin *= 2) {
    out.draws = sampler.run(draws, out.thin);
    judge(out, sampler.threads());
    if (out.converged() || options.thin > 0 || 2 * out.thin > kMostThin) break;
    if (stuck(out)) break;
    if (watch.left() < 2 * out.thin * draws * a_step) break;
  }
  out.evaluations = sampler.evaluations();
  return out;
}

// Tried in this order until the chains agree: first the fitted Gaussian, a little wider unless it is
// the posterior itself.
std::vector<double> shares(const Likelihood& likelihood) {
  return {likelihood.is_exact_regression() ? 1.0 : 0.85, 0.5, 0.2, 0.0};
}

}  // namespace

PosteriorSample sample_latents(const Latents& latents,
                               const Posterior& posterior,
                               const SamplingOptions& options) {
  check(options, std::ssize(latents.rows));
  const Stopwatch watch(options.seconds);
  const std::vector<double> tried = shares(latents.likelihood);
  PosteriorSample best;
  for (const double share : tried) {
    const double before = watch.seconds();
    PosteriorSample sample = try_target(Target(latents, posterior, share), options, watch);
    if (best.chains == 0 || sample.largest_r_hat() < best.largest_r_hat()) best = std::move(sample);
    if (best.converged() || watch.left() < watch.seconds() - before) break;
  }
  best.detail = detail_of(best, tried.front(), options.draws);
  return best;
}

}  // namespace ggpm::internal

namespace ggpm {

bool PosteriorSample::converged() const {
  return chains > 0 && largest_r_hat() < internal::kGoodRHat &&
         smallest_ess() >= internal::kEssAChain * chains;
}

}  // namespace ggpm
