// Laplace: the Gaussian with the mode and the curvature of the log posterior.  (eqn:lap:approxmarg)
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "inference/method.hpp"
#include "inference/newton.hpp"
#include "inference/rows.hpp"

namespace ggpm::internal {
namespace {

// Of several modes the highest is found before any is known well.
constexpr double kRoughly = 1e-2;

// The residual is a sum over rows, and so is its rounding, 4e-7 with a million of them. Of many rows the
// tolerance is that of a row on average, but no more than leaves a gradient of use: where the log marginal is flat, one
// that is off by a hundredth promises a step without end.
double tolerance_of(const Problem& problem) {
  constexpr Index kManyRows = 10'000;
  constexpr double kOfAll = 1e-3;
  const double tolerance = problem.options.tolerance;
  const Index rows = problem.here().all();
  if (rows <= kManyRows) return tolerance;
  return std::max(tolerance, std::min(kOfAll, tolerance * std::sqrt(static_cast<double>(rows))));
}

// Where to start: the warm alpha, or sites where that is of no use, else the better of the prior
// mean and the Taylor posterior. Without log-concavity there may be several modes, and a cold
// search tries both.
std::vector<ModePoint> starts(const Problem& problem, NewtonSearch& search) {
  const ModePoint prior = search.at_prior_mean();
  if (problem.warm != nullptr) {
    ModePoint warm;
    if (search.at_sites(problem.warm->sites, warm) && warm.psi >= prior.psi) {
      search.follow(warm, tolerance_of(problem));
      return {std::move(warm)};
    }
    warm = search.at_alpha(problem.warm->alpha);
    if (std::isfinite(warm.psi) && warm.psi >= prior.psi) return {std::move(warm)};
  }
  std::vector<ModePoint> points;
  ModePoint taylor;
  if (search.at_taylor(taylor)) points.push_back(taylor);
  if (problem.likelihood.log_concave() && !points.empty()) {
    if (prior.psi > taylor.psi) points[0] = prior;
    return points;
  }
  points.push_back(prior);
  return points;
}

// v and the dispersion gradient: the mode moves with the parameters. (errata 1.7, 6.1, 6.2)
void add_derivatives(const Problem& problem, std::span<const LogDensity> l, Solution& solution) {
  const Index n = problem.size(), dispersions = problem.dispersions();
  Vector s(n);
  for (Index i = 0; i < n; ++i)
    s[i] = 0.5 * solution.q.variance[i] * l[static_cast<std::size_t>(i)].d3;
  // sum_i s_i [V dl'/dphi]_i = (V s)' dl'/dphi, and V s = K v.
  solution.v = s;
  Vector Vs;
  problem.gram.shrink_and_multiply(solution.v, Vs);
  solution.dispersion = problem.here().sums(dispersions, [&](Index i, auto&& to) {
    const LogDensity& at = l[static_cast<std::size_t>(i)];
    for (Index k = 0; k < dispersions; ++k) {
      const auto p = static_cast<std::size_t>(k);
      to[k] += at.dphi[p] + 0.5 * solution.q.variance[i] * at.d2_dphi[p] + Vs[i] * at.d1_dphi[p];
    }
  });
}

Solution solve_laplace(const Problem& problem) {
  NewtonSearch search(problem);
  const int limit = problem.options.max_iterations;
  const double tolerance = tolerance_of(problem);

  std::vector<ModePoint> points = starts(problem, search);
  std::erase_if(points, [](const ModePoint& point) { return !std::isfinite(point.psi); });
  if (points.empty())
    throw NumericalError("laplace: the log posterior is not finite at any starting point");
  if (points.size() > 1) {
    for (ModePoint& point : points) search.approach(point, kRoughly, limit);
    std::stable_sort(points.begin(), points.end(), [](const ModePoint& a, const ModePoint& b) {
      return a.psi > b.psi;
    });
  }
  bool converged = false;
  for (std::size_t k = 0; k < points.size() && !converged; ++k)
    converged = search.climb(points[k], tolerance, limit);
  if (!converged && points.size() > 1) converged = search.climb(points.front(), tolerance, limit);
  if (search.conditioned().mean.size() != problem.size())
    throw NumericalError("laplace: the curvature of the log posterior is not finite");

  Solution solution;
  Report& report = solution.report;
  report.iterations = search.steps();
  report.residual = search.residual();
  if (search.saddle())
    throw NumericalError(
        "laplace: the search ended in a saddle of the log posterior; use ep or kld");
  if (!converged) {
    report.outcome = Outcome::iteration_limit;
    report.detail = "laplace: the mode was not reached in " + std::to_string(report.iterations) +
                    " Newton steps";
  }
  solution.sites = search.sites();
  solution.q = std::move(search.conditioned());
  problem.gram.add_marginals(solution.sites, solution.q);

  std::vector<LogDensity> l = search.take_densities();
  const Vector& mode = solution.q.mean;
  log_density(problem, mode, Derivatives::dispersion, l);
  solution.log_marginal = shared_terms(problem, solution.q) + problem.here().sum([&](Index i) {
    const LogDensity& at = l[static_cast<std::size_t>(i)];
    if (!converged) return at.value;
    // The determinant is that of the curvature one small step before the mode: move it there.
    return at.value + 0.5 * solution.q.variance[i] * at.d3 * search.last_move()[i];
  });
  if (problem.options.gradient) add_derivatives(problem, l, solution);
  return solution;
}

void check_laplace(const Likelihood& likelihood, std::span<const Row> /*rows*/) {
  require_curvature(kLaplace, likelihood);
}

}  // namespace

constinit const Method kLaplace = {.info = {InferenceMethod::laplace,
                                            "laplace",
                                            "Laplace's approximation at the mode",
                                            "a curvature"},
                                   .label = "Laplace",
                                   .solve = solve_laplace,
                                   .check = check_laplace};

}  // namespace ggpm::internal
