#include "inference/iterate.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace ggpm {
namespace {

constexpr double kSmallestStep = 1e-3;
constexpr double kRounding = 1e-11;        // of a log marginal, relative
constexpr double kRoundedResidual = 1e-6;  // where no step improves, this is as good as it gets

}  // namespace

bool SiteIteration::evaluate(SitePoint& point) {
  if (!problem_.gram.condition(point.sites, problem_.prior_mean, Want::marginals, point.q))
    return false;
  double site_terms = 0;
  if (!rule_.propose(problem_, point.sites, point.q, point.proposed, site_terms)) return false;
  point.log_marginal = shared_terms(problem_, point.q) + site_terms;
  point.residual = distance(point.sites, point.proposed, point.q);
  return std::isfinite(point.log_marginal) && std::isfinite(point.residual.rms);
}

// A bound must not fall, beyond what rounding hides; then, and without a bound, the residual
// decides.
bool SiteIteration::acceptable(const SitePoint& from, const SitePoint& to) const {
  if (rule_.climbs()) {
    const double rounding = kRounding * (std::abs(from.log_marginal) + double(problem_.size()));
    const double gain = to.log_marginal - from.log_marginal;
    if (gain > rounding) return true;
    if (gain < -rounding) return false;
  }
  return to.residual.rms < from.residual.rms;
}

void SiteIteration::report_progress(const SitePoint& point, Report& report) const {
  ++report.iterations;
  if (problem_.options.on_iteration)
    problem_.options.on_iteration({report.iterations, point.log_marginal, point.residual.largest});
}

bool SiteIteration::run(SitePoint& point, Report& report) {
  if (sweep(point, report)) return true;
  evaluate(point);  // so that the engine and the rule end where the point is
  return point.residual.largest < kRoundedResidual;
}

bool SiteIteration::sweep(SitePoint& point, Report& report) {
  Anderson history;
  SitePoint trial;
  double step = 1;
  Sites target = rule_.target(problem_, point.sites, point.q, point.proposed);
  history.push(point.sites, target);
  while (point.residual.largest > problem_.options.tolerance) {
    if (report.iterations >= problem_.options.max_iterations) return false;
    const bool mixed = history.ready();
    trial.sites = mixed ? history.mix(point.q, step) : damped(point.sites, target, step);
    const bool proper = evaluate(trial);
    report_progress(proper ? trial : point, report);
    if (proper && acceptable(point, trial)) {
      std::swap(point, trial);
      target = rule_.target(problem_, point.sites, point.q, point.proposed);
      history.push(point.sites, target);
      step = std::min(1.0, 1.5 * step);
      continue;
    }
    // Extrapolation is forgotten before the step is shortened.
    if (mixed) {
      history.forget();
      history.push(point.sites, target);
      continue;
    }
    step *= 0.4;
    if (step < kSmallestStep) return false;
  }
  return true;
}

}  // namespace ggpm
