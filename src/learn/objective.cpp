#include "learn/objective.hpp"

#include <cmath>

namespace ggpm::internal {

Objective::Objective(const LearningTask& task)
    : task_(task), options_(task.inference), inference_(task.engine, task.data->observed) {}

Evaluation Objective::evaluate(const Vector& learned, const Posterior* warm, bool gradient) {
  return evaluate(task_.space.hyperparameters(learned), warm, gradient);
}

Evaluation Objective::evaluate(const Hyperparameters& at, const Posterior* warm, bool gradient) {
  const ModelParts parts = with_values(task_.parts, at);
  options_.gradient = gradient;
  Evaluation out;
  out.inferred = inference_.evaluate(parts.kernel, parts.mean, *parts.likelihood, options_, warm);
  out.log_marginal = out.inferred.log_marginal;
  const Vector learned = task_.space.learned(at);
  out.objective = out.log_marginal + task_.space.log_prior(learned);
  if (gradient) {
    const Gradient& g = out.inferred.gradient;
    out.gradient.resize(task_.space.size());
    out.gradient << g.kernel, g.mean, g.dispersion;
    task_.space.add_prior_gradient(learned, out.gradient);
  }
  if (!std::isfinite(out.objective) || (gradient && !out.gradient.allFinite()))
    throw NumericalError("the log marginal or its gradient is not finite at these hyperparameters");
  return out;
}

}  // namespace ggpm::internal
