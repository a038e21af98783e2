// KLD: the Gaussian that is nearest to the posterior, by natural-gradient steps on the lower bound,
// which in natural parameters are damped site updates.           (eqn:KL:ZLBfinal, eqn:KL:df_dm_u)
#include <algorithm>
#include <cmath>
#include <vector>

#include "inference/bound.hpp"
#include "inference/cavity_bound.hpp"
#include "inference/iterate.hpp"
#include "inference/method.hpp"
#include "inference/rows.hpp"
#include "inference/sequential.hpp"
#include "inference/start.hpp"

namespace ggpm::internal {
namespace {

constexpr double kLargestFactor = 4;  // in one step, of a variance
constexpr double kLargestMove = 10;   // in one step, of a mean, in standard deviations
constexpr double kDifference = 1e-3;  // relative, of a variance
constexpr int kPatience = 150;  // sweeps of all sites, before and between those of single ones

class BoundRule final : public SiteRule {
 public:
  BoundRule(const char* name, RowBound rows) : name_(name), rows_(rows) {}
  const char* name() const override { return name_; }
  bool climbs() const override { return true; }

  bool propose(const Problem& problem,
               const Sites& /*sites*/,
               const Conditioned& q,
               Sites& proposed,
               double& site_terms) override {
    const Index n = problem.size();
    expected_.resize(problem.rows.size());
    expected(problem, q.mean, q.variance, expected_, Dphi::skip, rows_);
    proposed.precision.resize(n);
    proposed.shift.resize(n);
    site_terms = problem.here().sum([&](Index i) {
      const Expected& e = expected_[static_cast<std::size_t>(i)];
      proposed.precision[i] = -e.d2;
      proposed.shift[i] = e.d1 - e.d2 * q.mean[i];
      return e.value - 0.5 * (q.b[i] - 1);
    });
    return all_finite(problem.here(), proposed);
  }

  // One Newton step of each site on its own, the others held: where the marginal is wide, E
  // exp(eta) answers a small change of the site with a large one, and the plain step overshoots. In
  // units of the marginal, a = v dP, c = sqrt(v) (dshift - m dP), the site moves it by dv = -v a
  // and dm = sqrt(v) c; the third and fourth derivative come from one difference in v.
  Sites target(const Problem& problem,
               const Sites& sites,
               const Conditioned& q,
               const Sites& proposed) override {
    const Index n = problem.size();
    wider_.resize(expected_.size());
    wider_variance_ = (1 + kDifference) * q.variance;
    expected(problem, q.mean, wider_variance_, wider_, Dphi::skip, rows_);
    Sites next{Vector(n), Vector(n)};
    for (Index i = 0; i < n; ++i) {
      const Expected &e = expected_[static_cast<std::size_t>(i)],
                     &w = wider_[static_cast<std::size_t>(i)];
      const double v = q.variance[i], sd = std::sqrt(v);
      const double change = proposed.precision[i] - sites.precision[i];
      const double fa = v * change;
      const double fc = sd * (proposed.shift[i] - sites.shift[i] - q.mean[i] * change);
      const double half_third = sd * (w.d1 - e.d1) / kDifference;  // 1/2 v^3/2 E l'''
      const double half_fourth = v * (w.d2 - e.d2) / kDifference;  // 1/2 v^2 E l''''
      // The diagonal only ever damps; the coupling is kept within what leaves the step stable.
      const double aa = std::max(1.0, 1 - half_fourth), cc = std::max(1.0, 1 + fa);
      const double limit = 0.5 * std::sqrt(aa * cc);
      const double ca = std::clamp(half_third, -limit, limit);
      const double ac = std::clamp(2 * half_third, -limit, limit);
      const double det = aa * cc - ac * ca;
      double a = (cc * fa - ac * fc) / det, c = (aa * fc - ca * fa) / det;
      if (!std::isfinite(a) || !std::isfinite(c)) a = fa, c = fc;
      // Not more than a factor kLargestFactor in the variance, nor kLargestMove deviations.
      const double most = a > 0 ? kLargestFactor - 1 : 1 - 1 / kLargestFactor;
      const double excess = std::max({1.0, std::abs(a) / most, std::abs(c) / kLargestMove});
      a /= excess, c /= excess;
      next.precision[i] = sites.precision[i] + a / v;
      next.shift[i] = sites.shift[i] + c / sd + q.mean[i] * a / v;
    }
    return next;
  }

  Site site_given_cavity(
      const Problem& problem, Index i, double mean, double variance, const Site& now) override {
    return CavityBound(problem, i, mean, variance, rows_).site(now);
  }

  Vector dispersion_gradient(const Problem& problem, const Conditioned& q) {
    if (problem.dispersions() == 0) return {};
    expected(problem, q.mean, q.variance, expected_, Dphi::wanted, rows_);
    return sum_of_dphi(problem, expected_);
  }

 private:
  const char* name_;
  RowBound rows_;
  std::vector<Expected> expected_, wider_;
  Vector wider_variance_;
};

// Sweeps of single sites and of all in turn; where the engine has no updates of single sites, of
// all of them for as long as it takes.
bool climb_one_by_one(const Problem& problem,
                      SiteIteration& iteration,
                      SitePoint& point,
                      Report& report) {
  report.fallbacks.emplace_back(kSequential);
  while (report.iterations < problem.options.max_iterations) {
    const Sequential sweeps = run_sequential(problem, iteration, point, report);
    if (sweeps == Sequential::converged) return true;
    if (sweeps == Sequential::not_offered) {
      report.fallbacks.back() = kNoSequential;
      return iteration.run(point, report);
    }
    if (iteration.run(point, report, kPatience)) return true;
  }
  return false;
}

}  // namespace

Solution maximize_bound(const Problem& problem, const char* name, RowBound rows) {
  BoundRule rule(name, rows);
  SiteIteration iteration(problem, rule);
  Solution solution;
  SitePoint point = start_sites(problem, iteration);
  Report& report = solution.report;
  bool converged = iteration.run(point, report, kPatience);
  if (!converged && problem.warm == nullptr)
    converged = climb_one_by_one(problem, iteration, point, report);
  finish(problem, rule, converged, point, solution);
  solution.dispersion = rule.dispersion_gradient(problem, solution.q);
  return solution;
}

Solution solve_kld(const Problem& problem) { return maximize_bound(problem, "kld", exact_rows); }

constinit const Method kKld = {.info = {InferenceMethod::kld,
                                        "kld",
                                        "the nearest Gaussian by Kullback-Leibler divergence",
                                        ""},
                               .label = "KLD",
                               .solve = solve_kld,
                               .integrates = true};

}  // namespace ggpm::internal
