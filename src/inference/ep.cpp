// Expectation propagation: each site makes the marginal match the moments of the tilted
// distribution p(y | eta) x cavity.                                         (eqn:ep:momentfunc)
#include <cmath>
#include <utility>
#include <vector>

#include "inference/double_loop.hpp"
#include "inference/iterate.hpp"
#include "inference/method.hpp"
#include "inference/rows.hpp"
#include "inference/sequential.hpp"
#include "inference/start.hpp"

namespace ggpm::internal {
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
    // a cavity without variance
    if (!problem.here().every((q.b.array() > 0).all())) return false;
    variance_ = q.variance.cwiseQuotient(q.b);
    mean_ = q.mean - variance_.cwiseProduct(q.alpha);
    tilted_.resize(problem.rows.size());
    tilted(problem, mean_, variance_, tilted_, Dphi::skip);

    proposed.precision.resize(n);
    proposed.shift.resize(n);
    site_terms = problem.here().sum([&](Index i) {
      const Tilted& t = tilted_[static_cast<std::size_t>(i)];
      const Site site = matched_site(t, mean_[i], variance_[i]);
      proposed.precision[i] = site.precision;
      proposed.shift[i] = site.shift;
      // log Z_EP in a form for any sign of the site                                  (errata 6.3)
      return t.log_z - 0.5 * std::log(q.b[i]) + 0.5 * variance_[i] * q.alpha[i] * q.alpha[i];
    });
    return all_finite(problem.here(), proposed);
  }

  Site site_given_cavity(
      const Problem& problem, Index i, double mean, double variance, const Site& /*now*/) override {
    Tilted lone;
    problem.likelihood.tilted(problem.rows.subspan(static_cast<std::size_t>(i), 1),
                              {&mean, 1},
                              {&variance, 1},
                              {&lone, 1},
                              Dphi::skip);
    return matched_site(lone, mean, variance);
  }

  // Sum of the tilted expectations of d log p / d phi                                (errata 6.2)
  Vector dispersion_gradient(const Problem& problem) {
    if (problem.dispersions() == 0) return {};
    tilted(problem, mean_, variance_, tilted_, Dphi::wanted);
    return sum_of_dphi(problem, tilted_);
  }

 private:
  Vector mean_, variance_;  // of the cavities
  std::vector<Tilted> tilted_;
};

// Where parallel sweeps from the mode do not settle: one site at a time, then sweeps from the
// Gaussian of KLD, which always exists and has all data in view, then the double loop. Conflicting
// data can leave EP without any fixed point that has proper cavities; then the answer is that of
// KLD itself, and the report says so.
bool fall_back(const Problem& problem,
               SiteIteration& iteration,
               const Solution& kld,
               SitePoint& point,
               Report& report) {
  report.fallbacks.emplace_back("start from kld");
  SitePoint start;
  start.sites = kld.sites;
  if (iteration.evaluate(start)) {
    point = start;
    if (iteration.run(point, report)) return true;
    point = std::move(start);
  }
  report.fallbacks.emplace_back("double loop");
  return iteration.evaluate(point) && run_double_loop(problem, iteration, point, report);
}

}  // namespace

std::unique_ptr<SiteRule> make_ep_rule() { return std::make_unique<EpRule>(); }

namespace {

// The answer where EP has none.
Solution instead(const Problem& problem, Solution kld, const Report& tried) {
  kld.report.iterations += tried.iterations;
  kld.report.fallbacks = tried.fallbacks;
  kld.report.fallbacks.emplace_back(kKldInstead);
  kld.report.detail =
      "ep: no fixed point with proper cavities was found; the result is that of kld";
  problem.gram.condition(kld.sites, problem.prior_mean, Compute::marginals, kld.q);
  return kld;
}

Solution solve_ep(const Problem& problem) {
  if (problem.ep_is_hopeless) return instead(problem, solve_kld(problem), {});
  EpRule rule;
  SiteIteration iteration(problem, rule);
  Solution solution;
  Report& report = solution.report;
  SitePoint point = start_sites(problem, iteration);
  const auto one_by_one = [&] {
    report.fallbacks.emplace_back(kSequential);
    if (!iteration.evaluate(point)) return false;
    const Sequential sweeps = run_sequential(problem, iteration, point, report);
    if (sweeps == Sequential::not_offered) report.fallbacks.back() = kNoSequential;
    return sweeps == Sequential::converged;
  };
  const bool settled = iteration.run(point, report);
  if (!settled && problem.warm != nullptr) {
    finish(problem, rule, false, point, solution);
    return solution;
  }
  if (!settled && !one_by_one()) {
    Solution kld = solve_kld(problem);
    if (!fall_back(problem, iteration, kld, point, report))
      return instead(problem, std::move(kld), report);
  }
  finish(problem, rule, true, point, solution);
  solution.dispersion = rule.dispersion_gradient(problem);
  return solution;
}

}  // namespace

constinit const Method kEp = {.info = {InferenceMethod::ep, "ep", "expectation propagation", ""},
                              .label = "EP",
                              .solve = solve_ep,
                              .integrates = true};

}  // namespace ggpm::internal
