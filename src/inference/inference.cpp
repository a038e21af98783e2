#include "ggpm/inference.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "gram/engine.hpp"
#include "inference/classes.hpp"
#include "inference/method.hpp"
#include "inference/predictor.hpp"
#include "likelihood/softmax.hpp"
#include "parallel/threads.hpp"

namespace ggpm {

using namespace internal;

namespace {

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

}  // namespace

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
  Solution solution = solve(find_method(options.method), problem);
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
