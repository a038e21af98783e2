#include "learn/start_task.hpp"

#include <cmath>

#include "ggpm/classes.hpp"

namespace ggpm::internal {
namespace {

Index dispersion_index(const LearningTask& task) {
  for (Index i = 0; i < task.space.size(); ++i)
    if (task.space[i].role == Role::dispersion) return i;
  return -1;
}

}  // namespace

bool starts_as_gaussian(const LearningTask& task) {
  return !task.parts.likelihood->differentiable();
}

// Variance 2 b^2 of the Laplace density is the noise variance of the Gaussian in its place.
Vector to_start(const LearningTask& task, const Vector& learned) {
  Vector out = learned;
  const Index i = dispersion_index(task);
  if (starts_as_gaussian(task) && i >= 0) out[i] = std::log(2.0) + 2 * learned[i];
  return out;
}

Vector from_start(const LearningTask& task, const Vector& learned) {
  Vector out = learned;
  const Index i = dispersion_index(task);
  if (starts_as_gaussian(task) && i >= 0) out[i] = (learned[i] - std::log(2.0)) / 2;
  return out;
}

LearningTask start_task(const LearningTask& task, const std::vector<Index>& rows) {
  LearningTask out = task;
  if (!rows.empty()) {
    out.data = std::make_shared<const Dataset>(task.data->subset(rows));
    out.engine = task.engine->subset(rows);
  }
  out.inference.method = is_exact_regression(*task.parts.likelihood, out.data->observed)
                             ? InferenceMethod::exact
                         : has_several_latents(*task.parts.likelihood) ? InferenceMethod::laplace
                                                                       : InferenceMethod::taylor;
  if (!starts_as_gaussian(task)) return out;
  // The same coordinates, with the dispersion's value and bounds carried over.
  out.inference.method = InferenceMethod::exact;
  const Index i = dispersion_index(task);
  const Parameter& p = task.space[i];
  out.parts.likelihood = std::shared_ptr<const Likelihood>(
      make_likelihood("gaussian", "", {.dispersion = 2 * p.value * p.value}));
  std::vector<std::string> fixed;
  if (p.fixed) fixed.push_back(p.name);
  ParameterSpace space(out.parts, fixed, {});
  for (Index k = 0; k < space.size(); ++k) {
    const Parameter& from = task.space[k];
    if (k == i)
      space.set_bounds(k, 2 * from.lower * from.lower, 2 * from.upper * from.upper);
    else
      space.set_bounds(k, from.lower, from.upper);
    if (from.fixed) space.hold(k);
  }
  out.space = space;
  return out;
}

}  // namespace ggpm::internal
