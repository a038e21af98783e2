#include "inference/iterate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inference/sequential.hpp"
#include "numeric/constants.hpp"

namespace ggpm::internal {
namespace {

constexpr double kRounding = 1e-11;        // of a log marginal, relative
constexpr double kRoundedResidual = 1e-6;  // where no step improves, this is as good as it gets
constexpr double kNear = 1e-2;             // residual, of a maximum
constexpr int kLastSweeps = 60;

// Conflicting data at the same inputs make alpha large and K alpha a small difference of large
// terms. What that leaves uncertain in -1/2 (m - m0)' alpha, from |K_ij| <= sqrt(K_ii K_jj):
double rounding_of_value(const Problem& problem, const SitePoint& point) {
  const double terms =
      problem.here().dot(problem.gram.diagonal().cwiseSqrt(), point.q.alpha.cwiseAbs());
  return kRounding * (std::abs(point.log_marginal) + double(problem.here().all())) +
         kEpsilon * terms * terms;
}

// ... and in the residual: the error of alpha is that of a solve, condition number <= tr(S K S).
double rounding_of_residual(const Problem& problem, const SitePoint& point) {
  const RowsHere& here = problem.here();
  const double condition = here.dot(point.sites.precision.cwiseAbs(), problem.gram.diagonal());
  const double largest =
      here.largest(point.q.alpha.cwiseAbs().cwiseProduct(point.q.variance.cwiseSqrt()).maxCoeff());
  return std::clamp(100 * kEpsilon * condition * largest, kRoundedResidual, 1e-2);
}

}  // namespace

bool SiteIteration::evaluate(SitePoint& point) {
  return problem_.gram.condition(point.sites, problem_.prior_mean, Compute::marginals, point.q) &&
         judge(point);
}

bool SiteIteration::evaluate_conditioned(SitePoint& point) {
  problem_.gram.add_marginals(point.sites, point.q);
  return judge(point);
}

bool SiteIteration::judge(SitePoint& point) {
  double site_terms = 0;
  if (!rule_.propose(problem_, point.sites, point.q, point.proposed, site_terms)) return false;
  point.log_marginal = shared_terms(problem_, point.q) + site_terms;
  point.residual = distance(problem_.here(), point.sites, point.proposed, point.q);
  return std::isfinite(point.log_marginal) && std::isfinite(point.residual.rms);
}

void SiteIteration::report_progress(const SitePoint& point, Report& report) const {
  ++report.iterations;
  if (problem_.options.on_iteration)
    problem_.options.on_iteration({report.iterations, point.log_marginal, point.residual.largest});
}

bool SiteIteration::done(const SitePoint& point) const {
  return point.residual.largest <= problem_.options.tolerance;
}

bool SiteIteration::run(SitePoint& point, Report& report, int sweeps) {
  const int limit =
      report.iterations + std::min(sweeps, problem_.options.max_iterations - report.iterations);
  if (rule_.climbs() && climb(point, report, limit)) return true;
  // Near the maximum of a bound its rounding hides the last gains; the residual still tells.
  const bool near = !rule_.climbs() || point.residual.largest < kNear;
  const int last =
      rule_.climbs() ? std::min(limit + kLastSweeps, problem_.options.max_iterations) : limit;
  if (near && settle(point, report, last)) return true;
  evaluate(point);  // so that the engine and the rule end where the point is
  return point.residual.largest < rounding_of_residual(problem_, point);
}

// The log marginal is a bound: it must not fall, beyond what rounding hides; then the residual
// decides. Tried in turn: mixing, the rule's target once the proposal has proved slow, and the
// proposal itself, along which a short enough step always climbs.
bool SiteIteration::climb(SitePoint& point, Report& report, int limit) {
  constexpr double kShorten = 0.4, kLengthen = 1.5, kShortTarget = 0.05, kShortest = 1e-6;
  constexpr double kSlow = 0.3;  // of the residual is left after a sweep
  // Under a wide marginal E exp(-eta) is enormous, and the proposed site would make the marginal
  // collapse; climbing out of that takes long. So the rule's target is bounded.
  constexpr double kFar = 10;
  Anderson history(problem_.here());
  SitePoint trial;
  double step = 1;
  bool aimed = point.residual.largest > kFar, plain = false;
  Sites target;
  const auto aim = [&] {
    target = aimed ? rule_.target(problem_, point.sites, point.q, point.proposed) : point.proposed;
  };
  const auto restart = [&] {
    history.forget();
    history.push(point.sites, target);
  };
  aim();
  restart();
  while (!done(point)) {
    if (report.iterations >= limit) return false;
    const bool mixed = history.ready();
    trial.sites = mixed ? history.mix(point.q, step)
                        : damped(point.sites, plain ? point.proposed : target, step);
    const bool proper = evaluate(trial);
    report_progress(proper ? trial : point, report);
    const double rounding = rounding_of_value(problem_, point);
    const double gain = proper ? trial.log_marginal - point.log_marginal : -1;
    if (proper &&
        (gain > rounding || (gain >= -rounding && trial.residual.rms < point.residual.rms))) {
      std::swap(point, trial);
      const bool slow = !aimed && point.residual.rms > kSlow * trial.residual.rms;
      aimed = aimed || slow;
      aim();
      if (slow)
        restart();
      else
        history.push(point.sites, target);
      step = plain ? 0.5 : std::min(1.0, kLengthen * step);
      plain = false;
    } else if (mixed || !aimed) {
      aimed = true;
      aim();
      restart();
    } else if (step *= kShorten; !plain && step < kShortTarget) {
      plain = true;
      step = 1;
    } else if (step < kShortest) {
      return false;
    }
  }
  return true;
}

// Without a bound only the residual tells. It may grow for a while, as far as it has been recently;
// when it has found nothing better for too long, sweeps go on from the best point with less of a
// step.
bool SiteIteration::settle(SitePoint& point, Report& report, int limit) {
  constexpr double kShorten = 0.5, kLengthen = 1.5, kShortest = 0.03, kGrowth = 2;
  constexpr int kPatience = 12;
  Anderson history(problem_.here());
  SitePoint trial, best = point;
  double longest = 1, step = 1, recent = point.residual.rms;
  int stale = 0;
  const auto restart = [&] {
    point = best;
    recent = point.residual.rms;
    longest *= 0.3;
    step = longest;
    stale = 0;
    history.forget();
    history.push(point.sites, point.proposed);
  };
  history.push(point.sites, point.proposed);
  while (!done(point)) {
    if (report.iterations >= limit) break;
    const bool mixed = history.ready();
    trial.sites = mixed ? history.mix(point.q, step) : damped(point.sites, point.proposed, step);
    const bool proper = evaluate(trial);
    report_progress(proper ? trial : point, report);
    const double allowed = mixed ? point.residual.rms : kGrowth * recent;
    if (proper && trial.residual.rms < allowed) {
      std::swap(point, trial);
      recent = std::max(point.residual.rms, 0.7 * recent);
      history.push(point.sites, point.proposed);
      step = std::min(longest, kLengthen * step);
      if (point.residual.rms < 0.9 * best.residual.rms) {
        best = point;
        stale = 0;
      } else if (++stale > kPatience) {
        restart();
      }
    } else if (mixed) {
      history.forget();
      history.push(point.sites, point.proposed);
    } else if (step *= kShorten; step < 0.1 * kShortest) {
      restart();
    }
    if (longest < kShortest) break;
  }
  if (done(point)) return true;
  point = best;
  return false;
}

void finish(const Problem& problem,
            const SiteRule& rule,
            bool converged,
            SitePoint& point,
            Solution& solution) {
  Report& report = solution.report;
  report.residual = point.residual.largest;
  if (!converged) {
    report.outcome = Outcome::iteration_limit;
    report.detail =
        fmt::format("{}: the fixed-point equations are solved to {:.2g} only, after {} sweeps",
                    rule.name(),
                    report.residual,
                    report.iterations);
    if (std::find(report.fallbacks.begin(), report.fallbacks.end(), kNoSequential) !=
        report.fallbacks.end())
      report.detail += "; the engine cannot update one site at a time";
  }
  solution.sites = std::move(point.sites);
  solution.q = std::move(point.q);
  solution.log_marginal = point.log_marginal;
  solution.v = Vector::Zero(problem.size());
}

}  // namespace ggpm::internal
