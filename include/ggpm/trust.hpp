// How far to trust an approximation: the posterior over the latents by sampling, the log marginal
// with an error bar, and both beside what the model's inference says.
//
//   PosteriorSample truth = sample_posterior(model, {.draws = 2000});
//   truth.r_hat.maxCoeff()                       // below 1.01: the chains agree
//   Annealed marginal = annealed_log_marginal(model);
//   marginal.log_marginal, marginal.standard_error
//   Diagnosis diagnosis = diagnose(model, {.all = true});
//   diagnosis.verdict                            // one sentence
//
// Hyperparameters are those of the model: what is judged is the Gaussian approximation of the
// posterior. Costs n^3 once and n^2 a draw, with 32 n^2 bytes: for some thousands of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/inference.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

class GeneralizedGP;  // ggpm/model.hpp

struct SamplingOptions {
  int chains = 4;
  int warmup = 200;  // steps of each chain that are thrown away
  int draws = 1000;  // of each chain that are kept
  int thin = 0;      // steps between kept draws; 0: until the chains agree, at most 32
  std::uint64_t seed = 1;
  int threads = 0;     // 0: as many as BLAS uses; draws do not depend on it
  double seconds = 0;  // fewer draws than asked for rather than longer than this; 0: no limit
  // Called by the thread that asked, with the share of the present run that is done.
  std::function<void(double)> on_progress = {};
  std::function<bool()> interrupted = {};  // then Interrupted is thrown
};

struct PosteriorSample {
  Matrix draws;  // (n, chains x draws): those of the first chain, then those of the second, ...
  int chains = 0;
  int thin = 1;                      // steps between draws
  Vector mean, sd;                   // (n) of the latents
  Vector r_hat, bulk_ess, tail_ess;  // (n) Vehtari et al. (2021)
  Vector mean_error;                 // (n) Monte Carlo standard error of the mean
  // Of the sites' precision in the Gaussian that proposes: 1 is the fitted one, less is wider, 0 has
  // the covariance of the prior.
  double share = 1;
  long evaluations = 0;  // of the likelihood of all rows
  std::string detail;    // one sentence, empty if all went well
  double largest_r_hat() const { return r_hat.maxCoeff(); }
  double smallest_ess() const { return std::min(bulk_ess.minCoeff(), tail_ess.minCoeff()); }
  bool converged() const;  // every R-hat below 1.01, at least 100 effective draws a chain
};
// Elliptical slice sampling in which the Gaussian is the fitted one, made wider until the chains
// agree. Chain k of a seed is the same whatever the number of chains and threads, at the same thin
// and share, which are chosen by looking at all of them. NumericalError if the likelihood is 0 at
// the fitted mean, UsageError for fewer than two chains or eight draws, or more than memory holds.
PosteriorSample sample_posterior(const GeneralizedGP& model, const SamplingOptions& options = {});

struct AnnealingOptions {
  int runs = 200;  // independent weights
  int steps = 50;  // temperatures of each
  std::uint64_t seed = 1;
  int threads = 0;
  double seconds = 0;  // fewer runs, at least 20, rather than longer than this; 0: no limit
  std::function<void(double)> on_progress = {};
  std::function<bool()> interrupted = {};
};

struct Annealed {
  double log_marginal = 0;  // of y, in its units
  double standard_error = 0;
  int runs = 0;
  double pareto_k = 0;  // of the weights; above 0.7 the error bar cannot be trusted
};
// Annealed importance sampling (Neal 2001) from the approximation to the posterior.
Annealed annealed_log_marginal(const GeneralizedGP& model, const AnnealingOptions& options = {});

// How far answers about rows are from those of sampling.
struct Effect {
  double largest = 0, average = 0;  // absolute
  double error = 0;                 // Monte Carlo standard error of the largest
  Index row = 0;                    // of the largest, from 0
};

// One approximation beside sampling, at the hyperparameters of the model.
struct MethodError {
  InferenceMethod method = InferenceMethod::laplace;
  double log_marginal = 0;
  double log_marginal_error = 0;  // its own less that of annealing
  Vector mean_error;              // (n) of the latent mean, in standard deviations of the posterior
  Vector sd_ratio;                // (n) its standard deviation over that of the posterior
  // Of importance sampling from it: above 0.7 the posterior has tails that it has not.
  double pareto_k = 0;
  // What users read, at no more than 500 training rows. Of the predictive mean in predictive
  // standard deviations; of the probability that its central 95 % interval holds; of the log density
  // of the row's own output.
  Effect mean, interval, log_density;
};

struct DiagnosisOptions {
  SamplingOptions sampling = {};
  AnnealingOptions annealing = {};
  bool all = false;    // the other methods of inference, too
  double seconds = 0;  // for everything; 0: no limit
  // Once, before the work begins in earnest: how long it will take, at least.
  std::function<void(double seconds)> on_forecast = {};
};

// good: answers differ by less than 0.1 predictive sd in the mean and 1 % in the probability of an
// interval; poor: by more than 0.3 or 5 %; unknown: the chains did not agree.
enum class Trust { unknown, poor, fair, good };
std::string_view to_string(Trust trust);

struct Diagnosis {
  PosteriorSample truth;
  Annealed marginal;
  std::vector<MethodError> methods;  // that of the model first
  bool cut_short = false;            // there was no time for all of the other methods
  double pit_p_value = 0;            // of uniform leave-one-out PITs; NaN: there are none
  double seconds = 0;
  Trust trust = Trust::unknown;  // of the model's own method
  std::string verdict;           // one sentence
};
// Chains that do not agree around the model's own Gaussian are tried around those of EP and KLD. UsageError
// where the allowed time is far too short for so many rows.
Diagnosis diagnose(const GeneralizedGP& model, const DiagnosisOptions& options = {});

}  // namespace ggpm
