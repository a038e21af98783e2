#include "inference/start.hpp"

#include <cmath>
#include <utility>

#include "inference/newton.hpp"
#include "inference/rows.hpp"

namespace ggpm::internal {
namespace {

// The mode is only a start: stop when it is known to a hundredth of a standard deviation.
constexpr double kRoughStart = 0.5;
constexpr int kNewtonSteps = 30;
constexpr double kFar = 10;  // residuals of a start that is not near

// Evaluates sites at, or on the way to, the mode of the posterior, with the last factorization of
// the way there.
bool start_at_mode(const Problem& problem,
                   SiteIteration& iteration,
                   SitePoint& point,
                   Vector& mode) {
  NewtonSearch search(problem);
  ModePoint best = search.at_prior_mean();
  ModePoint taylor;
  if (search.at_taylor(taylor) && !(best.psi > taylor.psi)) best = std::move(taylor);
  if (!std::isfinite(best.psi)) return false;
  search.approach(best, kRoughStart, kNewtonSteps);
  mode = best.eta;
  point.sites = search.sites();
  point.q = std::move(search.conditioned());
  return point.q.mean.size() == problem.size() && iteration.evaluate_conditioned(point);
}

// Each site as if it were the only one: the tilted moments under the prior marginal.
Sites lone_sites(const Problem& problem) {
  const Index n = problem.size();
  const Vector& variance = problem.gram.diagonal();
  std::vector<Tilted> moments(problem.rows.size());
  tilted(problem, problem.prior_mean, variance, moments, Dphi::skip);
  Sites sites{Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const Site site =
        matched_site(moments[static_cast<std::size_t>(i)], problem.prior_mean[i], variance[i]);
    sites.precision[i] = site.precision;
    sites.shift[i] = site.shift;
  }
  return sites;
}

// Under a bound, sites that hold each latent near the mode, where the likelihood is tame, may be a
// far better start than the wide marginals of the mode itself, under which E exp(-eta) can be 1e30;
// and so may sites at the prior mean, where the search for the mode was led astray.
void tighten(const Problem& problem,
             SiteIteration& iteration,
             const Vector& mode,
             SitePoint& point) {
  SitePoint candidate;
  const Vector at_mode = point.sites.precision.cwiseMax(0.0);
  const Vector nothing = Vector::Zero(problem.size());
  const auto try_around = [&](const Vector& center, const Vector& base, double precision) {
    candidate.sites.precision = base.array() + precision;
    candidate.sites.shift = candidate.sites.precision.cwiseProduct(center);
    if (iteration.evaluate(candidate) && candidate.log_marginal > point.log_marginal)
      std::swap(point, candidate);
  };
  for (const double precision : {1.0, 30.0, 1000.0}) {
    try_around(mode, at_mode, precision);
    try_around(problem.prior_mean, nothing, precision);
  }
  iteration.evaluate(point);
}

}  // namespace

SitePoint start_sites(const Problem& problem, SiteIteration& iteration) {
  SitePoint point;
  const Index n = problem.size();
  if (problem.warm != nullptr) {
    point.sites = problem.warm->sites;
    if (iteration.evaluate(point)) return point;
  }
  Vector mode = problem.prior_mean;
  if (start_at_mode(problem, iteration, point, mode)) {
    if (iteration.rule().climbs() && point.residual.largest > kFar)
      tighten(problem, iteration, mode, point);
    return point;
  }
  point.sites = lone_sites(problem);
  if (iteration.evaluate(point)) return point;
  // Unit precision keeps every expectation near the mode, where the likelihood is finite.
  for (double precision = 1; precision < 1e13; precision *= 1e3) {
    point.sites = {Vector::Constant(n, precision), precision * mode};
    if (iteration.evaluate(point)) return point;
  }
  throw NumericalError(
      "the expectations of the log likelihood are not finite at any start; look for "
      "extreme hyperparameters or data");
}

}  // namespace ggpm::internal
