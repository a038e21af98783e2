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

Vector pull_back(const RowsHere& here, const Mean& mean, const Matrix& X, const Vector& adjoint) {
  if (here.groups() == 1 || mean.parameters().empty()) return mean.pull_back(X, adjoint);
  return here.sums_of_groups(std::ssize(mean.parameters()), [&](const std::vector<Index>& rows) {
    return mean.pull_back(X(rows, Eigen::all), adjoint(rows));
  });
}

// Of all rows.
Posterior to_posterior(Solution& solution, const Problem& problem) {
  const RowsHere& here = problem.here();
  Conditioned& q = solution.q;
  Posterior posterior;
  posterior.prior_mean = here.everywhere(problem.prior_mean);
  // The cavity is the marginal without its site, for any sign of the precision and without
  // cancellation when the site dominates (errata 2.14, 8).
  posterior.cavity_variance = here.everywhere(q.variance.cwiseQuotient(q.b));
  posterior.sites = {here.everywhere(std::move(solution.sites.precision)),
                     here.everywhere(std::move(solution.sites.shift))};
  posterior.alpha = here.everywhere(std::move(q.alpha));
  posterior.mean = here.everywhere(std::move(q.mean));
  posterior.variance = here.everywhere(std::move(q.variance));
  posterior.cavity_mean = posterior.mean - posterior.cavity_variance.cwiseProduct(posterior.alpha);
  posterior.jitter = problem.gram.jitter();
  return posterior;
}

}  // namespace

struct Inference::State {
  std::shared_ptr<const Engine> engine;
  std::unique_ptr<Gram> gram;
  // Of the rows here.
  std::vector<Row> rows;
  Matrix inputs;  // empty: those of the engine
  Vector offset;
  const Matrix& X() const { return inputs.size() > 0 ? inputs : engine->inputs(); }
  // What was evaluated last, until its predictor has been taken.
  std::optional<Kernel> kernel = {};
  Posterior posterior = {};  // sites, alpha, jitter, of the rows here
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
    : state_(new State{.engine = std::move(engine)}) {
  State& s = *state_;
  const Index n = observed.size();
  if (n == 0) throw UsageError("inference needs at least one row");
  if (size() != n || (observed.offset.size() != 0 && observed.offset.size() != n))
    throw UsageError("inputs, outputs and offsets need the same number of rows");
  s.gram = s.engine->make_gram();
  const RowsHere& here = s.gram->rows();
  s.offset = here.here(observed.offset);
  s.rows = here.divided() ? observed.subset(here.chosen()).rows() : observed.rows();
  if (here.divided()) s.inputs = inputs()(here.chosen(), Eigen::all);
}

Inference::Inference(Matrix X, const Observations& observed)
    : Inference(dense_engine(std::move(X)), observed) {}

Inference::~Inference() = default;
Inference::Inference(Inference&&) noexcept = default;
Inference& Inference::operator=(Inference&&) noexcept = default;

Index Inference::size() const { return state_->engine->size(); }
const Matrix& Inference::inputs() const { return state_->engine->inputs(); }

Inferred Inference::evaluate(const Kernel& kernel,
                             const Mean& mean,
                             const Likelihood& likelihood,
                             const InferenceOptions& options,
                             const Posterior* warm) {
  State& s = *state_;
  const Matrix& X = s.X();
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
  const RowsHere& here = s.gram->rows();
  if (!here.every(prior_mean.allFinite()))
    throw NumericalError(
        "the prior mean is not finite; look at the offset and the mean's parameters");
  s.gram->build(kernel);
  const bool hopeless = warm != nullptr && s.ep_is_hopeless();
  Posterior near;  // all that inference asks of it
  if (warm != nullptr && here.divided()) {
    near = {.sites = {here.here(warm->sites.precision), here.here(warm->sites.shift)},
            .alpha = here.here(warm->alpha)};
    warm = &near;
  }
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
    const Vector adjoint = solution.q.alpha + solution.v;
    result.gradient.mean = to_learned(mean.parameters(), pull_back(here, mean, X, adjoint));
    result.gradient.dispersion =
        to_learned(likelihood.parameters(), std::move(solution.dispersion));
    result.gradient.kernel = s.gram->pull_back(kernel, solution.q.alpha, solution.v);
  }
  s.kernel = kernel;
  s.posterior = {
      .sites = solution.sites, .alpha = solution.q.alpha, .jitter = result.report.jitter};
  result.posterior = to_posterior(solution, problem);
  return result;
}

LatentPredictor Inference::predictor() {
  State& s = *state_;
  if (!s.kernel) throw UsageError("predictor: evaluate comes before it, each time");
  const Kernel kernel = *std::exchange(s.kernel, std::nullopt);
  auto conditional = s.gram->take_conditional(kernel, s.posterior.alpha);
  // An engine that has nothing to hand on has all rows here.
  if (conditional == nullptr) conditional = s.engine->condition(kernel, s.posterior);
  return LatentPredictor(std::unique_ptr<const LatentPredictor::State>(
      new LatentPredictor::State{s.engine, std::move(conditional)}));
}

}  // namespace ggpm
