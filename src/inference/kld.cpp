// KLD: the Gaussian that is nearest to the posterior, by natural-gradient steps on the lower bound,
// which in natural parameters are damped site updates.           (eqn:KL:ZLBfinal, eqn:KL:df_dm_u)
#include <algorithm>
#include <cmath>
#include <vector>

#include "inference/iterate.hpp"
#include "inference/start.hpp"

namespace ggpm {
namespace {

constexpr double kLargestFactor = 10;

class KldRule final : public SiteRule {
 public:
  const char* name() const override { return "kld"; }
  bool climbs() const override { return true; }

  bool propose(const Problem& problem,
               const Sites& sites,
               const Conditioned& q,
               Sites& proposed,
               double& site_terms) override {
    const Index n = problem.size();
    expected_.resize(problem.rows.size());
    const std::size_t size = problem.rows.size();
    problem.likelihood.expected(
        problem.rows, {q.mean.data(), size}, {q.variance.data(), size}, expected_);
    proposed.precision.resize(n);
    proposed.shift.resize(n);
    site_terms = 0;
    for (Index i = 0; i < n; ++i) {
      const Expected& e = expected_[static_cast<std::size_t>(i)];
      // Far from the optimum an expectation such as E exp(eta) can be larger by orders of
      // magnitude; then the site moves only so far that the variance of its marginal shrinks by
      // kLargestFactor.
      const double change = -e.d2 - sites.precision[i];
      const double step = std::min(1.0, kLargestFactor / (q.variance[i] * std::abs(change)));
      proposed.precision[i] = sites.precision[i] + step * change;
      proposed.shift[i] = sites.shift[i] + step * (e.d1 - e.d2 * q.mean[i] - sites.shift[i]);
      site_terms += e.value - 0.5 * (q.b[i] - 1);
    }
    return proposed.precision.allFinite() && proposed.shift.allFinite();
  }

  Vector dispersion_gradient(Index dispersions) const {
    Vector gradient = Vector::Zero(dispersions);
    for (const Expected& e : expected_)
      for (Index k = 0; k < dispersions; ++k) gradient[k] += e.dphi[static_cast<std::size_t>(k)];
    return gradient;
  }

 private:
  std::vector<Expected> expected_;
};

}  // namespace

Solution solve_kld(const Problem& problem) {
  KldRule rule;
  SiteIteration iteration(problem, rule);
  Solution solution;
  SitePoint point = start_sites(problem, iteration, solution.report);
  const bool converged = iteration.run(point, solution.report);
  finish(problem, rule, converged, point, solution);
  solution.dispersion = rule.dispersion_gradient(problem.dispersions());
  return solution;
}

}  // namespace ggpm
