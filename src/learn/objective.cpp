#include "learn/objective.hpp"

#include <cmath>

namespace ggpm {
namespace {

// Adds the Jacobian to the log marginal and returns its gradient in the warp's learned coordinates:
//   d log Z / d z = -alpha for exact regression on z.
Vector add_jacobian(const Warp& warp, std::span<const Row> rows, const Vector& alpha, double& sum) {
  const auto parameters = warp.parameters();
  Vector gradient = Vector::Zero(static_cast<Index>(parameters.size()));
  std::vector<double> dz(parameters.size()), dlog_slope(parameters.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum += warp.at(rows[i].y).log_slope;
    if (parameters.empty()) continue;
    warp.derivatives(rows[i].y, dz, dlog_slope);
    for (std::size_t k = 0; k < dz.size(); ++k)
      gradient[static_cast<Index>(k)] += dlog_slope[k] - alpha[static_cast<Index>(i)] * dz[k];
  }
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (parameters[k].positive) gradient[static_cast<Index>(k)] *= parameters[k].value;
  return gradient;
}

}  // namespace

Observed Observed::subset(const std::vector<Index>& chosen) const {
  Observed out;
  const auto n = static_cast<Index>(chosen.size());
  out.X.resize(n, X.cols());
  if (offset.size() != 0) out.offset.resize(n);
  for (Index i = 0; i < n; ++i) {
    const Index from = chosen[static_cast<std::size_t>(i)];
    out.X.row(i) = X.row(from);
    out.rows.push_back(rows[static_cast<std::size_t>(from)]);
    if (offset.size() != 0) out.offset[i] = offset[from];
  }
  return out;
}

std::vector<Row> warped_rows(const Warp& warp, std::span<const Row> rows) {
  std::vector<Row> out(rows.begin(), rows.end());
  if (!warp.none())
    for (Row& row : out) row.y = warp.at(row.y).z;
  return out;
}

Objective::Objective(const LearningTask& task) : task_(task), options_(task.inference) {}

// A learned warp changes the outputs with every evaluation; otherwise the buffers are kept.
Inference& Objective::inference(const Warp& warp) {
  if (inference_ == nullptr || warp.learned())
    inference_ = std::make_unique<Inference>(
        task_.engine, warped_rows(warp, task_.data->rows), task_.data->offset);
  return *inference_;
}

Evaluation Objective::evaluate(const Vector& learned, const Posterior* warm, bool gradient) {
  return evaluate(task_.space.hyperparameters(learned), warm, gradient);
}

Evaluation Objective::evaluate(const Hyperparameters& at, const Posterior* warm, bool gradient) {
  const ModelParts parts = with_values(task_.parts, at);
  options_.gradient = gradient;
  Evaluation out;
  out.inferred =
      inference(parts.warp).evaluate(parts.kernel, parts.mean, *parts.likelihood, options_, warm);
  out.log_marginal = out.inferred.log_marginal;
  const Vector warp_gradient =
      add_jacobian(parts.warp, task_.data->rows, out.inferred.posterior.alpha, out.log_marginal);
  const Vector learned = task_.space.learned(at);
  out.objective = out.log_marginal + task_.space.log_prior(learned);
  if (gradient) {
    const Gradient& g = out.inferred.gradient;
    out.gradient.resize(task_.space.size());
    out.gradient << g.kernel, g.mean, g.dispersion, warp_gradient;
    task_.space.add_prior_gradient(learned, out.gradient);
  }
  if (!std::isfinite(out.objective) || (gradient && !out.gradient.allFinite()))
    throw NumericalError("the log marginal or its gradient is not finite at these hyperparameters");
  return out;
}

}  // namespace ggpm
