// Taylor: one pass over sites that are second-order expansions of log p at fixed points, and exact
// regression, which is the same thing for a Gaussian likelihood expanded at y.   (eqn:cfa:marginal)
#include <fmt/format.h>

#include <vector>

#include "inference/method.hpp"
#include "inference/rows.hpp"
#include "inference/sites.hpp"

namespace ggpm::internal {
namespace {

// Site i: l(e) + l'(e) (eta - e) + 1/2 l''(e) (eta - e)^2, e the expansion point.
Sites expansion_sites(std::span<const Expansion> points) {
  const auto n = static_cast<Index>(points.size());
  Sites sites{Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const Expansion& point = points[static_cast<std::size_t>(i)];
    set_parabola(point.at.d1, point.at.d2, point.eta, i, sites);
  }
  return sites;
}

Solution solve_expansion(const Problem& problem, const ExpansionOptions& expansion) {
  std::vector<Expansion> points(problem.rows.size());
  expand(problem, expansion, points);
  Solution solution;
  solution.sites = expansion_sites(points);
  Report& report = solution.report;
  report.iterations = 1;
  if (!all_finite(problem.here(), solution.sites))
    throw NumericalError(
        "taylor: an expansion point is not finite; try the expansion 'agnostic', or an expansion "
        "offset for counts");
  Conditioned& q = solution.q;
  if (!problem.gram.condition(solution.sites, problem.prior_mean, Compute::marginals, q))
    throw NumericalError(
        "taylor: the expansion has negative curvature that the prior does not outweigh, so that "
        "its "
        "Gaussian is improper; use laplace, ep or kld");

  const Index dispersions = problem.dispersions();
  solution.log_marginal = shared_terms(problem, q) + problem.here().sum([&](Index i) {
    const Expansion& point = points[static_cast<std::size_t>(i)];
    const double distance = q.mean[i] - point.eta;
    return point.at.value + 0.5 * distance * (point.at.d1 + q.alpha[i]);
  });
  solution.dispersion = problem.here().sums(dispersions, [&](Index i, auto&& to) {
    const Expansion& point = points[static_cast<std::size_t>(i)];
    const LogDensity& l = point.at;
    const double distance = q.mean[i] - point.eta;
    // The expectation under q of d/dphi of the site, whose expansion point moves with phi
    // (errata 2.1).
    const double square = distance * distance + q.variance[i];
    for (Index k = 0; k < dispersions; ++k) {
      const auto p = static_cast<std::size_t>(k);
      to[k] += l.dphi[p] + distance * l.d1_dphi[p] +
               0.5 * square * (l.d2_dphi[p] + l.d3 * point.deta_dphi[p]);
    }
  });
  solution.v = Vector::Zero(problem.size());
  return solution;
}

void check_taylor(const Likelihood& likelihood, std::span<const Row> /*rows*/) {
  require_curvature(kTaylor, likelihood);
}

Solution solve_taylor(const Problem& problem) {
  return solve_expansion(problem, problem.options.expansion);
}

void check_exact(const Likelihood& likelihood, std::span<const Row> rows) {
  if (!likelihood.is_exact_regression())
    throw UsageError("exact inference needs the likelihood 'gaussian' with link 'identity', not '" +
                     likelihood.name() + "' with '" + likelihood.link() +
                     "'; use laplace, ep or kld");
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].is_censored())
      throw UsageError(fmt::format(
          "exact inference needs outputs that were observed, and row {} is censored; use laplace, "
          "ep or kld",
          i + 1));
}

// log p is quadratic in eta: its expansion at its peak is log p itself.
Solution solve_exact(const Problem& problem) {
  return solve_expansion(problem, {.point = ExpansionPoint::exact, .offset = 0});
}

}  // namespace

constinit const Method kTaylor = {
    .info = {InferenceMethod::taylor, "taylor", "one Taylor expansion a row", "a curvature"},
    .label = "Taylor",
    .solve = solve_taylor,
    .check = check_taylor};

constinit const Method kExact = {
    .info = {InferenceMethod::exact, "exact", "exact regression", "gaussian outputs"},
    .label = "Exact",
    .solve = solve_exact,
    .check = check_exact};

}  // namespace ggpm::internal
