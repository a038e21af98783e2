#include "inference/sequential.hpp"

#include <utility>

namespace ggpm::internal {
namespace {

// Moves site i by `step` of the way to where it is best, the others held. A site without a proper
// cavity, or whose move would leave the Gaussian improper, waits for the next sweep.
void update(const Problem& problem,
            SiteRule& rule,
            SiteUpdates& updates,
            Sites& sites,
            Index i,
            double step) {
  const double v = updates.variance(i), left = 1 - sites.precision[i] * v;
  if (!(v > 0 && left > 0)) return;
  const double cavity_variance = v / left;
  const double cavity_mean = (updates.mean(i) - v * sites.shift[i]) / left;
  const Site site = rule.site_given_cavity(
      problem, i, cavity_mean, cavity_variance, {sites.precision[i], sites.shift[i]});
  const double precision = step * (site.precision - sites.precision[i]);
  const double shift = step * (site.shift - sites.shift[i]);
  if (!updates.add(i, precision, shift)) return;
  sites.precision[i] += precision;
  sites.shift[i] += shift;
}

}  // namespace

Sequential run_sequential(const Problem& problem,
                          SiteIteration& iteration,
                          SitePoint& point,
                          Report& report) {
  constexpr int kSweeps = 40, kPatience = 5;
  constexpr double kShorten = 0.4, kShortest = 0.1, kSmallGain = 1e-4;
  SitePoint best = point;
  double step = 1;
  int stale = 0;
  for (int sweep = 0;
       sweep < kSweeps && step > kShortest && report.iterations < problem.options.max_iterations;
       ++sweep) {
    const auto updates = problem.gram.one_by_one(point.sites, point.q);
    if (updates == nullptr) return Sequential::not_offered;
    for (Index i = 0; i < problem.size(); ++i)
      update(problem, iteration.rule(), *updates, point.sites, i, step);
    const bool proper = iteration.evaluate(point);
    iteration.report_progress(proper ? point : best, report);
    if (proper && iteration.done(point)) return Sequential::converged;
    const bool better = iteration.rule().climbs() ? point.log_marginal > best.log_marginal
                                                  : point.residual.rms < 0.9 * best.residual.rms;
    if (proper && better) {
      const double gain = point.log_marginal - best.log_marginal;
      best = point;
      if (iteration.rule().climbs() && gain < kSmallGain) break;  // all together will do the rest
      stale = 0;
    } else if (!proper || ++stale > kPatience) {
      point = best;
      if (!iteration.evaluate(point)) return Sequential::stopped;
      step *= kShorten;
      stale = 0;
    }
  }
  point = std::move(best);
  iteration.evaluate(point);
  return Sequential::stopped;
}

}  // namespace ggpm::internal
