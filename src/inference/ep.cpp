// Expectation propagation: each site makes the marginal match the moments of the tilted
// distribution p(y | eta) x cavity.                                          (eqn:ep:cavitytrue,
// eqn:ep:moments1)
#include <cmath>
#include <vector>

#include "inference/double_loop.hpp"
#include "inference/iterate.hpp"
#include "inference/start.hpp"

namespace ggpm {
namespace {

class EpRule final : public SiteRule {
 public:
  const char* name() const override { return "ep"; }
  bool climbs() const override { return false; }

  bool propose(const Problem& problem,
               const Sites& /*sites*/,
               const Conditioned& q,
               Sites& proposed,
               double& site_terms) override {
    const Index n = problem.size();
    if (!(q.b.array() > 0).all()) return false;  // a cavity without variance
    variance_ = q.variance.cwiseQuotient(q.b);
    mean_ = q.mean - variance_.cwiseProduct(q.alpha);
    tilted_.resize(problem.rows.size());
    const std::size_t size = problem.rows.size();
    problem.likelihood.tilted(
        problem.rows, {mean_.data(), size}, {variance_.data(), size}, tilted_);

    proposed.precision.resize(n);
    proposed.shift.resize(n);
    site_terms = 0;
    for (Index i = 0; i < n; ++i) {
      const Tilted& t = tilted_[static_cast<std::size_t>(i)];
      // 1/variance - 1/cavity variance and mean/variance - cavity mean/cavity variance, written so
      // that neither a weak nor a dominating likelihood cancels.
      const double ratio = variance_[i] / t.variance;
      proposed.precision[i] = -t.d2 * ratio;
      proposed.shift[i] = (t.d1 - mean_[i] * t.d2) * ratio;
      // log Z_EP in a form for any sign of the site                                  (errata 6.3)
      site_terms += t.log_z - 0.5 * std::log(q.b[i]) + 0.5 * variance_[i] * q.alpha[i] * q.alpha[i];
    }
    return proposed.precision.allFinite() && proposed.shift.allFinite();
  }

  // Sum of the tilted expectations of d log p / d phi                                (errata 6.2)
  Vector dispersion_gradient(Index dispersions) const {
    Vector gradient = Vector::Zero(dispersions);
    for (const Tilted& t : tilted_)
      for (Index k = 0; k < dispersions; ++k) gradient[k] += t.dphi[static_cast<std::size_t>(k)];
    return gradient;
  }

 private:
  Vector mean_, variance_;  // of the cavities
  std::vector<Tilted> tilted_;
};

}  // namespace

Solution solve_ep(const Problem& problem) {
  EpRule rule;
  SiteIteration iteration(problem, rule);
  Solution solution;
  SitePoint point = start_sites(problem, iteration, solution.report);
  bool converged = iteration.run(point, solution.report);
  if (!converged) {
    solution.report.fallbacks.push_back("double loop");
    converged = run_double_loop(problem, iteration, point, solution.report);
  }
  finish(problem, rule, converged, point, solution);
  solution.dispersion = rule.dispersion_gradient(problem.dispersions());
  return solution;
}

}  // namespace ggpm
