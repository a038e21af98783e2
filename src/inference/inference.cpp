#include "ggpm/inference.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "gram/engine.hpp"
#include "inference/classes.hpp"
#include "inference/predictor.hpp"
#include "inference/problem.hpp"
#include "likelihood/softmax.hpp"
#include "parallel/threads.hpp"

namespace ggpm {

using namespace internal;

namespace {

using Solve = Solution (*)(const Problem&);
struct Method {
  InferenceInfo info;
  Solve solve;
};
// Draws are no Gaussian: a model makes them when everything else is known.
Solution refuse_mcmc(const Problem& /*problem*/) {
  throw UsageError("mcmc is no approximation of a log marginal: fit a model with it");
}

constexpr std::array<Method, 7> kMethods{{
    {{InferenceMethod::exact, "exact", "exact regression", "gaussian outputs"}, solve_exact},
    {{InferenceMethod::taylor, "taylor", "one Taylor expansion a row", "a curvature"},
     solve_taylor},
    {{InferenceMethod::laplace, "laplace", "Laplace's approximation at the mode", "a curvature"},
     solve_laplace},
    {{InferenceMethod::ep, "ep", "expectation propagation", ""}, solve_ep},
    {{InferenceMethod::kld, "kld", "the nearest Gaussian by Kullback-Leibler divergence", ""},
     solve_kld},
    {{InferenceMethod::vb,
      "vb",
      "a variational bound that is a Gaussian in each latent",
      "symmetry"},
     solve_vb},
    {{InferenceMethod::mcmc, "mcmc", "sampling, with hyperparameters learned as by auto", ""},
     refuse_mcmc},
}};

const Method& find(InferenceMethod method) {
  for (const Method& candidate : kMethods)
    if (candidate.info.method == method) return candidate;
  throw UsageError("unknown inference method");
}

// Gradients with respect to the logarithm where that is what is learned.
Vector to_learned(std::span<const Parameter> parameters, Vector gradient) {
  for (Index k = 0; k < gradient.size(); ++k) {
    const Parameter& parameter = parameters[static_cast<std::size_t>(k)];
    if (parameter.positive) gradient[k] *= parameter.value;
  }
  return gradient;
}

Posterior to_posterior(Solution& solution, const Problem& problem) {
  Posterior posterior;
  Conditioned& q = solution.q;
  posterior.prior_mean = problem.prior_mean;
  // The cavity is the marginal without its site, for any sign of the precision and without
  // cancellation when the site dominates (errata 2.14, 8).
  posterior.cavity_variance = q.variance.cwiseQuotient(q.b);
  posterior.cavity_mean = q.mean - posterior.cavity_variance.cwiseProduct(q.alpha);
  posterior.sites = std::move(solution.sites);
  posterior.alpha = std::move(q.alpha);
  posterior.mean = std::move(q.mean);
  posterior.variance = std::move(q.variance);
  posterior.jitter = problem.gram.jitter();
  return posterior;
}

// It converged, and by no fallback but the one that was asked for.
bool straight(const Report& report, bool ep_is_hopeless) {
  const bool kld = ep_is_hopeless && report.fallbacks == std::vector<std::string>{kKldInstead};
  return report.outcome == Outcome::converged && (report.fallbacks.empty() || kld);
}

// A warm start is a guess: where it does not lead straight to an answer, the cold start decides.
Solution solve(const Problem& problem) {
  const Solve method = find(problem.options.method).solve;
  if (problem.warm == nullptr) return method(problem);
  try {
    Solution solution = method(problem);
    if (straight(solution.report, problem.ep_is_hopeless)) return solution;
  } catch (const NumericalError&) {
  }
  Problem cold = problem;
  cold.warm = nullptr;
  Solution solution = method(cold);
  solution.report.fallbacks.insert(solution.report.fallbacks.begin(), "cold start");
  return solution;
}

}  // namespace

std::vector<InferenceInfo> inference_table() {
  std::vector<InferenceInfo> out;
  for (const Method& method : kMethods) out.push_back(method.info);
  return out;
}

std::string_view to_string(InferenceMethod method) { return find(method).info.name; }

InferenceMethod parse_inference(std::string_view name) {
  for (const Method& candidate : kMethods)
    if (candidate.info.name == name) return candidate.info.method;
  std::string known;
  for (const Method& candidate : kMethods)
    known += (known.empty() ? "" : ", ") + std::string(candidate.info.name);
  throw UsageError("unknown inference '" + std::string(name) + "'; there is " + known);
}

struct Inference::State {
  std::shared_ptr<const Engine> engine;
  std::vector<Row> rows;
  Vector offset;
  std::unique_ptr<Gram> gram;
  // What was evaluated last, until its predictor has been taken.
  std::optional<Kernel> kernel = {};
  Posterior posterior = {};  // sites, alpha, jitter
  int without_ep = 0;        // evaluations in a row in which EP had no fixed point

  // Conflicting data can leave EP without one at every point of a climb, and to find that out takes
  // every fallback. After some such points only one in ten asks again.
  bool ep_is_hopeless() const { return without_ep >= 3 && without_ep % 10 != 0; }
  void remember(const Report& report) {
    const bool kld = !report.fallbacks.empty() && report.fallbacks.back() == kKldInstead;
    without_ep = kld ? without_ep + 1 : 0;
  }
};

Inference::Inference(std::shared_ptr<const Engine> engine, const Observations& observed)
    : state_(new State{std::move(engine), observed.rows(), observed.offset, nullptr}) {
  const auto n = static_cast<Index>(state_->rows.size());
  if (n == 0) throw UsageError("inference needs at least one row");
  if (size() != n || (state_->offset.size() != 0 && state_->offset.size() != n))
    throw UsageError("inputs, outputs and offsets need the same number of rows");
  state_->gram = state_->engine->make_gram();
}

Inference::Inference(Matrix X, const Observations& observed)
    : Inference(dense_engine(std::move(X)), observed) {}

Inference::~Inference() = default;
Inference::Inference(Inference&&) noexcept = default;
Inference& Inference::operator=(Inference&&) noexcept = default;

Index Inference::size() const { return state_->engine->size(); }
const Matrix& Inference::inputs() const { return state_->engine->inputs(); }
std::span<const Row> Inference::rows() const { return state_->rows; }

Inferred Inference::evaluate(const Kernel& kernel,
                             const Mean& mean,
                             const Likelihood& likelihood,
                             const InferenceOptions& options,
                             const Posterior* warm) {
  State& s = *state_;
  const Matrix& X = inputs();
  const SmallMatrices blas(s.engine->cost().largest_matrix);
  s.kernel.reset();
  if (has_several_latents(likelihood)) {
    if (s.engine->options().name != "dense")
      throw UsageError(
          "softmax needs the engine dense: a tree holds one latent function, not one a class");
    if (s.offset.size() != 0 && s.offset.any())
      throw UsageError("softmax: an offset that all classes share changes no probability");
    return infer_classes(kernel, mean, likelihood, X, s.rows, options, warm);
  }
  if (warm != nullptr && warm->sites.size() != size())
    throw UsageError("a warm start needs the posterior of a problem with the same rows");
  Vector prior_mean = mean.evaluate(X);
  if (s.offset.size() != 0) prior_mean += s.offset;
  if (!prior_mean.allFinite())
    throw NumericalError(
        "the prior mean is not finite; look at the offset and the mean's parameters");
  s.gram->build(kernel);
  const bool hopeless = warm != nullptr && s.ep_is_hopeless();
  const Problem problem{*s.gram, likelihood, s.rows, prior_mean, options, warm, hopeless};
  Solution solution = solve(problem);
  s.remember(solution.report);

  Inferred result;
  result.log_marginal = solution.log_marginal;
  result.report = std::move(solution.report);
  result.report.factorizations = s.gram->factorizations();
  result.report.jitter = s.gram->jitter();
  if (!std::isfinite(result.log_marginal))
    throw NumericalError(
        std::string(to_string(options.method)) +
        ": the log marginal is not finite; look for extreme hyperparameters or data");
  if (options.gradient) {
    // K enters through its adjoint, the prior mean through alpha + v.       (docs/concepts.md)
    result.gradient.mean =
        to_learned(mean.parameters(), mean.pull_back(X, solution.q.alpha + solution.v));
    result.gradient.dispersion =
        to_learned(likelihood.parameters(), std::move(solution.dispersion));
    result.gradient.kernel = s.gram->pull_back(kernel, solution.q.alpha, solution.v);
  }
  result.posterior = to_posterior(solution, problem);
  s.kernel = kernel;
  s.posterior = {.sites = result.posterior.sites,
                 .alpha = result.posterior.alpha,
                 .jitter = result.posterior.jitter};
  return result;
}

LatentPredictor Inference::predictor() {
  State& s = *state_;
  if (!s.kernel) throw UsageError("predictor: evaluate comes before it, each time");
  const Kernel kernel = *std::exchange(s.kernel, std::nullopt);
  auto conditional = s.gram->take_conditional(kernel, s.posterior.alpha);
  if (conditional == nullptr) conditional = s.engine->condition(kernel, s.posterior);
  return LatentPredictor(std::unique_ptr<const LatentPredictor::State>(
      new LatentPredictor::State{s.engine, std::move(conditional)}));
}

}  // namespace ggpm
