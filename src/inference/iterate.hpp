// The site iteration that EP and KLD share: propose, damp, factor, check.
#pragma once

#include <limits>

#include "inference/anderson.hpp"
#include "inference/problem.hpp"

namespace ggpm::internal {

// How the marginals of q propose new sites, and what the log marginal is there. Knows no kernel.
class SiteRule {
 public:
  virtual ~SiteRule() = default;
  virtual const char* name() const = 0;
  // False where q is outside of the rule's domain: a cavity without variance, an overflow.
  virtual bool propose(const Problem& problem,
                       const Sites& sites,
                       const Conditioned& q,
                       Sites& proposed,
                       double& site_terms) = 0;
  // Where to move from `sites`; at a fixed point, there. By default the proposal itself.
  virtual Sites target(const Problem& /*problem*/,
                       const Sites& /*sites*/,
                       const Conditioned& /*q*/,
                       const Sites& proposed) {
    return proposed;
  }
  // The site of row i that is best while all others stay as they are: given its cavity, and the site
  // as it is.
  virtual Site site_given_cavity(
      const Problem& problem, Index i, double mean, double variance, const Site& now) = 0;
  // The log marginal is a bound that the fixed point maximizes.
  virtual bool climbs() const = 0;
};

std::unique_ptr<SiteRule> make_ep_rule();

// Sites, their Gaussian, and what the rule says there.
struct SitePoint {
  Sites sites, proposed;
  Conditioned q;
  double log_marginal = 0;
  Distance residual;  // between sites and proposed
};

class SiteIteration {
 public:
  SiteIteration(const Problem& problem, SiteRule& rule) : problem_(problem), rule_(rule) {}

  SiteRule& rule() const { return rule_; }
  // False if the Gaussian is improper or the rule refuses.
  bool evaluate(SitePoint& point);
  // The same for sites that were conditioned on last, with point.q up to the mean.
  bool evaluate_conditioned(SitePoint& point);
  // Sweeps from `point`, which has been evaluated, until its residual is below the tolerance. False
  // if that did not happen in `sweeps`: then `point` is the best that was seen.
  bool run(SitePoint& point, Report& report, int sweeps = std::numeric_limits<int>::max());

  bool done(const SitePoint& point) const;
  void report_progress(const SitePoint& point, Report& report) const;

 private:
  bool judge(SitePoint& point);  // what the rule says of the marginals
  bool climb(SitePoint& point, Report& report, int limit);
  bool settle(SitePoint& point, Report& report, int limit);

  const Problem& problem_;
  SiteRule& rule_;
};

// Fills the solution from the point where the iteration ended; the point was evaluated last.
void finish(const Problem& problem,
            const SiteRule& rule,
            bool converged,
            SitePoint& point,
            Solution& solution);

// Over the rows, of what a likelihood returned with Dphi::wanted.
template <class Moments>
Vector sum_of_dphi(const Problem& problem, const std::vector<Moments>& rows) {
  const Index dispersions = problem.dispersions();
  return problem.here().sums(dispersions, [&](Index i, auto&& to) {
    for (Index k = 0; k < dispersions; ++k) to[k] += rows[at(i)].dphi[at(k)];
  });
}

}  // namespace ggpm::internal
