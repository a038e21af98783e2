#include "inference/sequential.hpp"

#include <cmath>
#include <utility>

namespace ggpm {
namespace {

class Sweep {
 public:
  Sweep(const Problem& problem, SiteRule& rule, const SitePoint& start)
      : problem_(problem),
        rule_(rule),
        sites_(start.sites),
        mean_(start.q.mean),
        covariance_(columns()) {}

  const Sites& sites() const { return sites_; }

  // Every site once, moved by `step` of the way to where it is best. A site
  // without a proper cavity, or whose move would leave the Gaussian improper, waits for the next
  // sweep.
  void run(double step) {
    for (Index i = 0; i < problem_.size(); ++i) update(i, step);
  }

 private:
  // The engine was conditioned on the sites last.
  Matrix columns() const {
    const Index n = problem_.size();
    Matrix covariance(n, n);
    Vector column, image;
    for (Index i = 0; i < n; ++i) {
      column = Vector::Unit(n, i);
      problem_.gram.shrink(column);
      problem_.gram.multiply(column, image);
      covariance.col(i) = image;
    }
    return covariance;
  }

  void update(Index i, double step) {
    const double v = covariance_(i, i), left = 1 - sites_.precision[i] * v;
    if (!(v > 0 && left > 0)) return;
    const double cavity_variance = v / left;
    const double cavity_mean = (mean_[i] - v * sites_.shift[i]) / left;
    const Site site = rule_.lone_site(problem_, i, cavity_mean, cavity_variance);
    const double dp = step * (site.precision - sites_.precision[i]);
    const double dshift = step * (site.shift - sites_.shift[i]);
    const double growth = 1 + dp * v;
    if (!(growth > 0 && std::isfinite(growth) && std::isfinite(dshift))) return;
    sites_.precision[i] += dp;
    sites_.shift[i] += dshift;
    column_ = covariance_.col(i);
    mean_ += column_ * ((dshift - dp * mean_[i]) / growth);
    covariance_.noalias() -= (dp / growth) * column_ * column_.transpose();
  }

  const Problem& problem_;
  SiteRule& rule_;
  Sites sites_;
  Vector mean_, column_;
  Matrix covariance_;
};

}  // namespace

bool run_sequential(const Problem& problem,
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
    Sweep pass(problem, iteration.rule(), point);
    pass.run(step);
    point.sites = pass.sites();
    const bool proper = iteration.evaluate(point);
    iteration.report_progress(proper ? point : best, report);
    if (proper && iteration.done(point)) return true;
    const bool better = iteration.rule().climbs() ? point.log_marginal > best.log_marginal
                                                  : point.residual.rms < 0.9 * best.residual.rms;
    if (proper && better) {
      const double gain = point.log_marginal - best.log_marginal;
      best = point;
      if (iteration.rule().climbs() && gain < kSmallGain) break;  // all together will do the rest
      stale = 0;
    } else if (!proper || ++stale > kPatience) {
      point = best;
      if (!iteration.evaluate(point)) return false;
      step *= kShorten;
      stale = 0;
    }
  }
  point = std::move(best);
  iteration.evaluate(point);
  return false;
}

}  // namespace ggpm
