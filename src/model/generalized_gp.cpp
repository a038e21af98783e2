#include <fmt/format.h>

#include "ggpm/model.hpp"
#include "gram/engine.hpp"
#include "likelihood/softmax.hpp"
#include "model/draw_predictor.hpp"
#include "model/state.hpp"
#include "parallel/available_memory.hpp"

namespace ggpm::internal {
namespace {

// Near a bound in learned coordinates: what is left of the way does not matter.
constexpr double kAtBound = 1e-3;

void require_memory(Index rows, std::uint64_t need) {
  const std::uint64_t limit = available_memory();
  if (need > limit)
    throw DataError(
        fmt::format("predict: a model of {} rows needs about {} MB, the memory here is {} MB",
                    rows,
                    (need >> 20U) + 1,
                    limit >> 20U));
}

}  // namespace

const ClassPredictor& ModelState::class_predictor() const {
  const std::lock_guard lock(mutex_);
  if (class_predictor_ != nullptr) return *class_predictor_;
  const auto n = static_cast<std::uint64_t>(task.data->size());
  const auto classes = static_cast<std::uint64_t>(task.parts.likelihood->levels());
  const bool blocks = task.inference.method == InferenceMethod::kld;
  require_memory(task.data->size(),
                 (blocks ? 2 * classes * classes : 2 * classes + 3) * n * n * sizeof(double));
  class_predictor_ = std::make_unique<const ClassPredictor>(task.parts.kernel,
                                                            inputs_of(task.data),
                                                            task.data->observed.weight,
                                                            posterior,
                                                            task.inference.method);
  return *class_predictor_;
}

const LatentPredictor& ModelState::predictor() const {
  require_one_latent(*task.parts.likelihood, "this answer");
  const std::lock_guard lock(mutex_);
  if (predictor_ != nullptr) return *predictor_;
  const Matrix& X = task.data->X;
  require_memory(X.rows(), engine_cost(specification.engine, X.rows(), X.cols()).bytes(1));
  predictor_ = std::make_unique<const LatentPredictor>(task.engine, task.parts.kernel, posterior);
  return *predictor_;
}

ModelState::ModelState() = default;
ModelState::~ModelState() = default;

const DrawPredictor& ModelState::draw_predictor() const {
  const std::lock_guard lock(mutex_);
  if (draw_predictor_ == nullptr)
    draw_predictor_ = std::make_unique<const DrawPredictor>(task, posterior, sampled->draws);
  return *draw_predictor_;
}

void ModelState::set_predictor(std::unique_ptr<const LatentPredictor> predictor) {
  predictor_ = std::move(predictor);
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

GeneralizedGP::GeneralizedGP(std::shared_ptr<const internal::ModelState> state)
    : state_(std::move(state)) {}

const Specification& GeneralizedGP::specification() const { return state_->specification; }
const Likelihood& GeneralizedGP::likelihood() const { return *state_->task.parts.likelihood; }
const Kernel& GeneralizedGP::kernel() const { return state_->task.parts.kernel; }
const Mean& GeneralizedGP::mean() const { return state_->task.parts.mean; }
InferenceMethod GeneralizedGP::inference() const {
  return state_->sampled ? InferenceMethod::mcmc : state_->task.inference.method;
}
Domain GeneralizedGP::domain() const { return likelihood().domain(); }
Index GeneralizedGP::rows() const { return state_->task.data->size(); }
Index GeneralizedGP::dimensions() const { return state_->task.data->X.cols(); }
const std::vector<std::string>& GeneralizedGP::columns() const {
  return state_->task.data->columns;
}
const Matrix& GeneralizedGP::inputs() const { return state_->task.data->X; }
const Observations& GeneralizedGP::observations() const { return state_->given; }
const Hyperparameters& GeneralizedGP::hyperparameters() const { return state_->at; }
double GeneralizedGP::log_marginal() const { return state_->log_marginal; }
const Hyperparameters& GeneralizedGP::gradient() const { return state_->gradient; }
const Posterior& GeneralizedGP::posterior() const { return state_->posterior; }
const FitReport& GeneralizedGP::report() const { return state_->report; }
const std::vector<Optimum>& GeneralizedGP::optima() const { return state_->optima; }
const std::vector<Warning>& GeneralizedGP::warnings() const { return state_->warnings; }
const std::optional<Hyperparameters>& GeneralizedGP::standard_errors() const {
  return state_->standard_errors;
}
const std::optional<RefittedScores>& GeneralizedGP::refitted() const { return state_->refitted; }
const std::optional<SampledLatents>& GeneralizedGP::sampled() const { return state_->sampled; }

std::optional<IntegratedHyperparameters> GeneralizedGP::integrated() const {
  if (state_->members.empty()) return std::nullopt;
  IntegratedHyperparameters out{.log_evidence = state_->log_evidence};
  for (const Member& member : state_->members)
    out.points.push_back({member.weight, member.state->at, member.state->log_marginal});
  return out;
}
std::optional<EngineCheck> engine_check(const GeneralizedGP& model) { return model.state().check; }

EngineSummary GeneralizedGP::engine() const {
  const Engine& engine = *state_->task.engine;
  const EngineOptions& used = engine.options();
  const EngineCost cost = engine.cost();
  return {used.name, used.accuracy, used.inducing, cost.dense_rows, cost.predict_rows};
}
double GeneralizedGP::seconds() const { return state_->seconds; }
std::uint64_t GeneralizedGP::seed() const { return state_->seed; }

std::vector<FittedParameter> GeneralizedGP::parameters() const {
  const ParameterSpace& space = state_->task.space;
  const Vector flat = state_->at.flat();
  const Vector errors = state_->standard_errors ? state_->standard_errors->flat() : Vector();
  std::vector<FittedParameter> out;
  for (Index i = 0; i < space.size(); ++i) {
    FittedParameter p{space[i], space.prior(i)};
    p.parameter.value = flat[i];
    if (!p.parameter.fixed && state_->report.optimized) {
      const double here = space.to_learned(i, flat[i]);
      p.at_lower = here - space.to_learned(i, p.parameter.lower) < kAtBound;
      p.at_upper = space.to_learned(i, p.parameter.upper) - here < kAtBound;
    }
    p.unit = space.unit(i);
    if (i < errors.size()) p.standard_error = errors[i];
    out.push_back(std::move(p));
  }
  return out;
}

double GeneralizedGP::log_marginal_at(const Hyperparameters& at, Hyperparameters* gradient) const {
  Vector flat;
  const double value =
      log_marginal_at(state_->task.space.learned(at), gradient != nullptr ? &flat : nullptr);
  if (gradient != nullptr) *gradient = state_->task.space.split(flat);
  return value;
}

double GeneralizedGP::log_marginal_at(const Vector& learned, Vector* gradient) const {
  Objective objective(state_->task);
  Evaluation at = objective.evaluate(learned, nullptr, gradient != nullptr);
  if (gradient != nullptr) {
    Vector of_prior = Vector::Zero(learned.size());
    state_->task.space.add_prior_gradient(learned, of_prior);
    *gradient = at.gradient - of_prior;
  }
  return at.log_marginal;
}

}  // namespace ggpm
