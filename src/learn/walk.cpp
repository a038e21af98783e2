#include "learn/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ggpm::internal {
namespace {

constexpr double kSmallestGap = 1e-4, kLargestGap = 1e3;  // of cut points

}  // namespace

Coordinates::Coordinates(const LearningTask& task) : space_(task.space), free_(task.space.free()) {
  const Index first_cut = space_.size() - std::ssize(task.parts.likelihood->parameters());
  const bool ordinal = task.parts.likelihood->levels() > 0;
  for (const Index i : free_) gap_.push_back(ordinal && i > first_cut && !space_[i - 1].fixed);
}

std::vector<double> Coordinates::of(const Vector& at) const {
  std::vector<double> x;
  for (std::size_t k = 0; k < free_.size(); ++k) {
    const Index i = free_[k];
    x.push_back(gap_[k] ? std::log(std::max(at[i] - at[i - 1], kSmallestGap)) : at[i]);
  }
  return x;
}

void Coordinates::move(Vector& at, const double* x) const {
  for (std::size_t k = 0; k < free_.size(); ++k)
    at[free_[k]] = gap_[k] ? at[free_[k] - 1] + std::exp(x[k]) : x[k];
}

double Coordinates::slope(const Vector& gradient, const Vector& at, std::size_t k) const {
  double sum = gradient[free_[k]];
  for (std::size_t j = k + 1; j < free_.size() && gap_[j]; ++j) sum += gradient[free_[j]];
  return gap_[k] ? sum * (at[free_[k]] - at[free_[k] - 1]) : sum;
}

double Coordinates::lower(std::size_t k) const {
  return gap_[k] ? std::log(kSmallestGap) : space_.to_learned(free_[k], space_[free_[k]].lower);
}

double Coordinates::upper(std::size_t k) const {
  return gap_[k] ? std::log(kLargestGap) : space_.to_learned(free_[k], space_[free_[k]].upper);
}

Walk::Walk(Objective& objective, const Vector& start, const ClimbOptions& options)
    : objective_(objective), options_(options), coordinates_(objective.task()) {
  out_.at = objective.task().space.clamped(start);
}

void Walk::evaluate(const Vector& at, bool first) {
  ++out_.evaluations;
  last_at_ = at;
  last_failed_ = true;
  try {
    const Posterior* warm = out_.usable ? &out_.best.inferred.posterior : options_.warm;
    Evaluation e = objective_.evaluate(at, warm);
    if (first || e.converged()) {
      last_failed_ = false;
      last_value_ = e.objective;
      last_gradient_ = e.gradient;
      // A start that did not converge gives way to the first point that did.
      if (first || e.objective > out_.best.objective || !out_.best.converged()) {
        out_.best = std::move(e);
        out_.at = at;
        if (options_.on_better) options_.on_better(out_);
      }
      out_.usable = true;
    }
  } catch (const NumericalError&) {
  } catch (const Error&) {
    // A start of the user's that cannot be is an error; a step of ours is only too long.
    if (first) throw;
  }
  if (last_failed_) ++out_.failures;
  if (options_.on_evaluation)
    options_.on_evaluation(out_.usable ? out_.best.log_marginal
                                       : -std::numeric_limits<double>::infinity());
}

bool Walk::flat() const {
  const std::vector<double> x = coordinates_.of(out_.at);
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const double g = best_slope(k);
    const double bound = g > 0 ? coordinates_.upper(k) : coordinates_.lower(k);
    if (std::abs(g) > 1e-2 && std::abs(x[k] - bound) > 1e-6) return false;
  }
  return true;
}

}  // namespace ggpm::internal
