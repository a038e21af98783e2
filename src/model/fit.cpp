#include <fmt/format.h>

#include <cmath>

#include "ggpm/choose.hpp"
#include "ggpm/classes.hpp"
#include "ggpm/engine_report.hpp"
#include "gram/engine_check.hpp"
#include "learn/learn.hpp"
#include "likelihood/formula/file.hpp"
#include "model/checkpoint.hpp"
#include "model/ensemble.hpp"
#include "parallel/available_memory.hpp"
#include "parallel/blas_memory.hpp"

namespace ggpm {

using namespace internal;

namespace {

// Once, where the data comes in.
void check_data(const Dataset& data) {
  if (data.observed.y.size() == 0) throw DataError("fit: there are no rows");
  if (data.X.cols() == 0) throw DataError("fit: there are no inputs");
  if (!data.columns.empty() && static_cast<Index>(data.columns.size()) != data.X.cols())
    throw UsageError(
        fmt::format("fit: {} names for {} inputs", data.columns.size(), data.X.cols()));
  data.check("fit");
}

// The text of a formula goes with the model; its path is only where it came from.
Specification with_formula(Specification specification) {
  if (!specification.likelihood.ends_with(".toml") || !specification.formula.empty())
    return specification;
  // Checks size and content, with the path in its messages.
  make_likelihood(specification.likelihood, specification.link, specification.likelihood_options);
  specification.formula = formula::read_formula(specification.likelihood);
  // Without a line end it would be taken for a name.
  if (!specification.formula.ends_with('\n')) specification.formula += '\n';
  return specification;
}

constexpr std::uint64_t kBaseBytes = std::uint64_t{20} << 20U;  // program, BLAS buffers

void require_memory(std::uint64_t need, Index rows, const FitOptions& options) {
  const bool limited = options.memory_limit != 0;
  const std::uint64_t limit = limited ? options.memory_limit : available_memory();
  if (need > limit)
    throw DataError(
        fmt::format("fit: {} rows need about {} MB, {} is {} MB; use fewer rows, fewer "
                    "threads or a larger limit",
                    rows,
                    (need >> 20U) + 1,
                    limited ? "the limit" : "the memory here",
                    limit >> 20U));
}

void check_memory(const Dataset& data, const EngineOptions& engine, const FitOptions& options) {
  require_memory(fit_memory(data.X.rows(), data.X.cols(), options, engine), data.X.rows(), options);
}

// Three matrices a class, and some that they share, in each run.
void check_class_memory(Index rows, int classes, const FitOptions& options) {
  const auto n = static_cast<std::uint64_t>(rows);
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const auto matrices =
      static_cast<std::uint64_t>(threads) * static_cast<std::uint64_t>(3 * classes + 5);
  require_memory(kBaseBytes + matrices * n * n * sizeof(double), rows, options);
}

std::string describe(const FitReport& report) {
  if (report.interrupted)
    return fmt::format("interrupted after {} evaluations; this is the best model until then",
                       report.evaluations);
  if (!report.inference.detail.empty()) return report.inference.detail;
  if (!report.converged)
    return fmt::format("the optimizer stopped after {} evaluations before it converged",
                       report.evaluations);
  return {};
}

constexpr Index kRowsForStandardErrors = 1000;  // of a dense matrix; beyond, they take long

// What a fit computes for a person. That it has no answer is no fault of the model.
void add_extras(const std::shared_ptr<internal::ModelState>& state,
                const FitOptions& options,
                std::vector<Warning>& notes) {
  if (!options.optimize || state->report.interrupted) return;
  const GeneralizedGP model(state);
  try {
    if (options.standard_errors && model.engine().dense_rows <= kRowsForStandardErrors)
      state->standard_errors = model.compute_standard_errors(options.threads);
  } catch (const NumericalError&) {
    // they are not there
  }
  if (options.refit_folds < 2) return;
  try {
    state->refitted = refit_folds(*state, options);
  } catch (const NumericalError& error) {
    notes.push_back(
        {Warning::Kind::other,
         "",
         fmt::format("the model cannot be fitted to parts of the rows: {}", error.what())});
  }
}

}  // namespace

std::uint64_t fit_memory(Index rows,
                         Index inputs,
                         const FitOptions& options,
                         const EngineOptions& engine) {
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const int runs = !options.optimize || options.restarts <= 0 ? 1
                   : options.taylor_starts                    ? options.keep + 1
                                                              : options.restarts + 2;
  const EngineCost cost = engine_cost(engine, rows, inputs);
  return kBaseBytes + cost.bytes_of_fit(cost.side_by_side(runs, threads));
}

GeneralizedGP GeneralizedGP::fit(Dataset data,
                                 const Specification& specification,
                                 const FitOptions& options) {
  check_data(data);
  check_memory(data, specification.engine, options);
  { const BlasCall first; }  // before threads and matrices take the space of its buffer
  if (options.restarts < 0 || options.keep < 1 || options.max_evaluations < 1)
    throw UsageError("fit: restarts are at least 0, keep and max_evaluations at least 1");
  if (options.refit_folds != 0 && (options.refit_folds < 2 || options.refit_folds > data.X.rows()))
    throw UsageError(
        fmt::format("fit: {} folds of {} rows; at least 2, and at most one for each row",
                    options.refit_folds,
                    data.X.rows()));
  check_averages(specification, options);
  Monitor monitor(options);

  auto state = std::make_shared<internal::ModelState>();
  state->specification = with_formula(specification);
  FitReport& report = state->report;
  if (is_open(state->specification)) {
    Completion done = complete_specification(state->specification, data, options);
    state->specification = std::move(done.specification);
    report.choices = std::move(done.reasons);
  }
  const std::string engine =
      engine_forecast(specification.engine, data.X.rows(), data.X.cols(), options.threads);
  if (!engine.empty()) report.choices.push_back(engine);
  ModelParts parts = make_parts(state->specification, data);
  if (has_several_latents(*parts.likelihood)) {
    if (options.hyperparameters == HyperparameterUse::integrate)
      throw UsageError(
          "fit: hyperparameters are integrated for one latent function, and softmax has one for each "
          "class; use the optimum");
    // Parts of the rows may miss a level, and models of them are to have it.
    state->specification.likelihood_options.parameters = {
        {"levels", static_cast<double>(parts.likelihood->levels()), true}};
    check_class_memory(data.X.rows(), parts.likelihood->levels(), options);
  }
  parts.likelihood->check(data.observed.rows());
  data.observed.drop_trivial();
  state->given = data.observed;
  LearningTask& task = state->task;
  const std::string fingerprint =
      options.resume.empty() ? "" : fingerprint_of_fit(data, state->specification, options);
  data.observed = fold_exposure(std::move(data.observed), *parts.likelihood);
  task.data = std::make_shared<const Dataset>(std::move(data));
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const auto make = [&] {
    task.engine =
        make_engine(state->specification.engine, inputs_of(task.data), parts.kernel, options.seed);
  };
  if (!monitor.run_one(threads, make)) throw Interrupted("fit: interrupted before it began");
  task.space = ParameterSpace(parts, options.fixed, options.priors, task.data->columns);
  task.inference = make_inference(state->specification, *task.data);
  task.parts = std::move(parts);
  if (state->specification.inference == InferenceMethod::mcmc)
    report.choices.push_back(learning_choice(task));

  Learned learned =
      learn(task, options, monitor, keeper_in_file(options.resume, fingerprint, task));
  task.parts = with_values(task.parts, learned.at);
  task.inference.tolerance = options.inference_tolerance;
  task.inference.max_iterations = options.inference_iterations;
  Vector gradient = learned.best.gradient, of_prior = Vector::Zero(task.space.size());
  task.space.add_prior_gradient(task.space.learned(learned.at), of_prior);
  state->gradient = task.space.split(gradient - of_prior);
  state->at = std::move(learned.at);
  state->log_marginal = learned.best.log_marginal;
  state->posterior = std::move(learned.best.inferred.posterior);
  settle_posterior(state->posterior);
  state->optima = std::move(learned.optima);
  state->seed = options.seed;
  report.converged = learned.converged;
  report.optimized = options.optimize;
  report.interrupted = learned.interrupted;
  report.learned_rows = learned.rows;
  add_averages(*state, options, monitor, learned.notes);
  report.evaluations = monitor.evaluations();
  report.inference = std::move(learned.best.inferred.report);
  // It takes as long as some evaluations, which nobody who interrupts waits for.
  const auto check = [&] {
    state->check = check_engine(*task.engine, task.parts.kernel, state->posterior);
  };
  if (!report.interrupted) report.interrupted = !monitor.run_one(threads, check);
  report.detail = describe(report);
  state->set_predictor(std::move(learned.predictor));
  state->seconds = monitor.seconds();
  add_extras(state, options, learned.notes);
  state->warnings = collect_warnings(*state, learned.notes);
  return GeneralizedGP(std::move(state));
}

}  // namespace ggpm
