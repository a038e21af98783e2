#include "inference/newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "inference/rows.hpp"
#include "inference/sites.hpp"
#include "numeric/constants.hpp"

namespace ggpm::internal {
namespace {

constexpr int kMaxHalvings = 60;
constexpr int kSaddleAttempts = 6;
// Residuals above are not put down to rounding. The squared residual is a sum over rows, and so is its rounding.
constexpr double kLargeResidual = 1e-5, kLargeResidualOfARow = 1e-6;
// Where steps with an old factor pay: a handful costs as much as a factorization.
constexpr Index kSmallest = 50;
constexpr int kMostSteps = 5;

}  // namespace

NewtonSearch::NewtonSearch(const Problem& problem) : problem_(problem), l_(problem.rows.size()) {
  sites_.precision.resize(problem.size());
  sites_.shift.resize(problem.size());
  slope_.resize(problem.size());
}

void NewtonSearch::evaluate(ModePoint& point, Derivatives wanted) {
  log_density(problem_, point.eta, wanted, l_);
  const double sum = problem_.here().sum([&](Index i) {
    return l_[at(i)].value - 0.5 * (point.eta[i] - problem_.prior_mean[i]) * point.alpha[i];
  });
  point.psi = std::isfinite(sum) ? sum : -std::numeric_limits<double>::infinity();
}

ModePoint NewtonSearch::at_prior_mean() {
  ModePoint point{Vector::Zero(problem_.size()), problem_.prior_mean, 0};
  evaluate(point, Derivatives::value);
  return point;
}

ModePoint NewtonSearch::at_alpha(const Vector& alpha) {
  ModePoint point{alpha, {}, 0};
  problem_.gram.multiply(alpha, point.eta);
  point.eta += problem_.prior_mean;
  evaluate(point, Derivatives::value);
  return point;
}

bool NewtonSearch::at_taylor(ModePoint& point) {
  if (!problem_.likelihood.differentiable()) return false;
  std::vector<Expansion> expansion(problem_.rows.size());
  // A row without an expansion point: only a start is lost.
  if (!expand(problem_.options.expansion, expansion)) return false;
  for (Index i = 0; i < problem_.size(); ++i) {
    const Expansion& e = expansion[static_cast<std::size_t>(i)];
    set_parabola(e.at.d1, e.at.d2, e.eta, i, sites_);
  }
  if (at_sites(sites_, point)) return true;
  // Halfway between rows that contradict each other the density of one may vanish (a survival
  // time far beyond its noise has e^-e^1000); beyond them all, on one side, it does not.
  const auto below = [](const Expansion& a, const Expansion& b) { return a.eta < b.eta; };
  const auto [low, high] = std::minmax_element(expansion.begin(), expansion.end(), below);
  const RowsHere& here = problem_.here();
  for (const double eta : {-here.largest(-low->eta), here.largest(high->eta)}) {
    sites_.shift = eta * sites_.precision;
    if (at_sites(sites_, point)) return true;
  }
  return false;
}

bool NewtonSearch::expand(const ExpansionOptions& options, std::vector<Expansion>& out) const {
  try {
    internal::expand(problem_, options, out);
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool NewtonSearch::at_sites(const Sites& sites, ModePoint& point) {
  if (!problem_.gram.condition(sites, problem_.prior_mean, Compute::mean, q_)) return false;
  point.alpha = q_.alpha;
  point.eta = q_.mean;
  evaluate(point, Derivatives::second);
  residual_ = std::numeric_limits<double>::infinity();
  return std::isfinite(point.psi);
}

void NewtonSearch::set_sites(const ModePoint& point) {
  for (Index i = 0; i < problem_.size(); ++i) {
    const LogDensity& l = l_[static_cast<std::size_t>(i)];
    set_parabola(l.d1, l.d2, point.eta[i], i, sites_);
  }
}

// Conditions on sites at the point. The true curvature is taken where its Gaussian is proper;
// otherwise, for this step only, its positive part or the expected information, whichever is
// larger, which makes every step an ascent direction.
bool NewtonSearch::step_sites(const ModePoint& point) {
  set_sites(point);
  true_curvature_ = problem_.likelihood.differentiable();
  if (true_curvature_ && problem_.gram.condition(sites_, problem_.prior_mean, Compute::factor, q_))
    return true;
  if (true_curvature_ && problem_.likelihood.log_concave()) return false;  // not finite

  true_curvature_ = false;
  find_tops();
  for (Index i = 0; i < problem_.size(); ++i) {
    sites_.precision[i] = positive_curvature(i, point.eta[i]);
    sites_.shift[i] = l_[static_cast<std::size_t>(i)].d1 + sites_.precision[i] * point.eta[i];
  }
  return problem_.gram.condition(sites_, problem_.prior_mean, Compute::factor, q_);
}

// The true curvature where it is positive. Elsewhere that of the parabola whose slope at eta is
// that of log p and whose top is where log p has its own: for student-t the weights of the EM
// algorithm, whose steps neither overshoot nor creep however far an outlier is. Else the expected
// information.
double NewtonSearch::positive_curvature(Index i, double eta) {
  const auto k = static_cast<std::size_t>(i);
  const LogDensity& l = l_[k];
  if (-l.d2 > 0) return -l.d2;
  const double secant = l.d1 / (tops_[k].eta - eta);
  if (std::isfinite(secant) && secant > 0) return secant;
  const double fisher =
      problem_.rows[k].weight * problem_.likelihood.fisher_information(problem_.rows[k], eta);
  return std::isfinite(fisher) ? fisher : 0.0;
}

// Where a curvature is not positive for the first time.
void NewtonSearch::find_tops() {
  if (!tops_.empty()) return;
  const bool positive =
      std::all_of(l_.begin(), l_.end(), [](const LogDensity& l) { return -l.d2 > 0; });
  if (problem_.here().every(positive)) return;
  tops_.resize(problem_.rows.size());
  if (!expand({.point = ExpansionPoint::exact}, tops_))
    for (Expansion& top : tops_) top.eta = std::numeric_limits<double>::quiet_NaN();
}

double NewtonSearch::rounding(const ModePoint& point) const {
  const double size = problem_.here().sum([&](Index i) { return std::abs(l_[at(i)].value); });
  return 4 * kEpsilon * (std::abs(point.psi) + size);
}

// slope = g' V g with g = l' - alpha, the squared Newton decrement: it bounds the squared move of
// every latent in units of its posterior variance.
// The step itself is solved for, (I + P K) step = g, not the next alpha: with counts of 1e9 the
// difference of two alphas would be all rounding.
double NewtonSearch::newton_step(const ModePoint& point) {
  for (Index i = 0; i < problem_.size(); ++i)
    slope_[i] = l_[static_cast<std::size_t>(i)].d1 - point.alpha[i];
  alpha_step_ = slope_;
  problem_.gram.shrink_and_multiply(alpha_step_, eta_step_);
  return problem_.here().dot(slope_, eta_step_);
}

// More steps with the factor at hand, O(n^2) each: they shrink the residual by a constant ratio,
// which is small once the curvature hardly changes, where Newton steps would square it. Goes on
// while a few of them will do; true when the residual is below the tolerance, or will be.
bool NewtonSearch::follow(ModePoint& point, double tolerance) {
  if (problem_.here().all() < kSmallest) return false;
  for (int step = 0; step < kMostSteps; ++step) {
    const double slope = newton_step(point);
    const double before = std::exchange(residual_, std::sqrt(std::abs(slope)));
    if (residual_ <= tolerance) return true;
    const double ratio = residual_ / before;
    const double left = std::log(tolerance / residual_) / std::log(ratio);
    if (!(ratio < 1) || !(left < kMostSteps - step)) return false;
    if (!line_search(point, slope)) return false;
    if (ratio > 0 && ratio * residual_ < 0.1 * tolerance) return true;
  }
  return false;
}

// Backtracks from the full step to q_; O(n) a trial, since eta moves linearly with alpha.
bool NewtonSearch::line_search(ModePoint& point, double slope) {
  const double slack = rounding(point);
  ModePoint trial;
  double t = 1;
  for (int halving = 0; halving < kMaxHalvings; ++halving) {
    trial.alpha = point.alpha + t * alpha_step_;
    trial.eta = point.eta + t * eta_step_;
    evaluate(trial, Derivatives::second);  // rarely refused, and the next step needs all of it
    const double gain = trial.psi - point.psi;
    if (gain >= 1e-4 * t * slope - slack) {
      point = std::move(trial);
      return true;
    }
    // The parabola through value, slope and the trial; a tenth where the trial overflowed.
    const double minimum = -0.5 * slope * t * t / (gain - slope * t);
    t = std::isfinite(gain) ? std::clamp(minimum, 0.1 * t, 0.5 * t) : 0.1 * t;
  }
  return false;
}

// Moves off a stationary point that is not a maximum, in a fixed pseudo-random direction that grows
// with each attempt.
void NewtonSearch::leave_saddle(ModePoint& point, int attempt) {
  Vector direction(problem_.size());
  std::uint64_t state = 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(attempt + 1);
  const RowsHere& here = problem_.here();
  for (Index row = 0, i = 0; i < problem_.size(); ++row) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (here.row(i) == row)
      direction[i++] = static_cast<double>(state >> 33) / 4294967296.0 - 0.5 + 0.25;
  }
  Vector moved;
  problem_.gram.multiply(direction, moved);
  const double scale =
      std::pow(4.0, attempt) * 1e-2 / std::sqrt(here.dot(direction, moved) + 1e-300);
  const ModePoint candidate = at_alpha(point.alpha + scale * direction);
  if (std::isfinite(candidate.psi)) point = candidate;
}

bool NewtonSearch::approach(ModePoint& point, double tolerance, int max_steps) {
  return climb(point, tolerance, max_steps, false);
}

bool NewtonSearch::climb(ModePoint& point, double tolerance, int max_steps, bool verify) {
  int saddle_attempts = 0, stalled = 0;
  double smallest = std::numeric_limits<double>::infinity();
  const double large = std::max(
      kLargeResidual, kLargeResidualOfARow * std::sqrt(static_cast<double>(problem_.here().all())));
  saddle_ = false;
  evaluate(point, Derivatives::second);
  for (int step = 0; step < max_steps; ++step) {
    ++steps_;
    if (!step_sites(point)) {
      q_.mean.resize(0);  // nothing was conditioned on
      return false;
    }
    const double slope = newton_step(point);
    q_.alpha = point.alpha + alpha_step_;
    q_.mean = point.eta + eta_step_;
    residual_ = std::sqrt(std::abs(slope));
    if (problem_.options.on_iteration)
      problem_.options.on_iteration({steps_, point.psi, residual_});

    // Newton's method squares a small residual; where it no longer shrinks it is rounding.
    stalled = residual_ < 0.5 * smallest ? 0 : stalled + 1;
    smallest = std::min(smallest, residual_);
    const bool rounded = stalled >= 2 && residual_ <= large;
    if (residual_ <= tolerance || rounded) {
      if (true_curvature_) return true;
      saddle_ = true;
      if (++saddle_attempts > kSaddleAttempts) return false;
      leave_saddle(point, saddle_attempts);
      evaluate(point, Derivatives::second);
      smallest = std::numeric_limits<double>::infinity();
      continue;
    }
    saddle_ = false;
    if (line_search(point, slope)) {
      if (true_curvature_ && follow(point, tolerance) && !verify) return true;
      continue;
    }
    // The gain that is left is below the rounding of psi: take the step, it is as good as any.
    if (residual_ <= 1e-3) {
      point.alpha = q_.alpha;
      point.eta = q_.mean;
      evaluate(point, Derivatives::second);
      if (++saddle_attempts > kSaddleAttempts) return true_curvature_;
      continue;
    }
    return false;
  }
  return false;
}

}  // namespace ggpm::internal
