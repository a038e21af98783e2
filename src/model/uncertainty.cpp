// How well the data tell the hyperparameters: standard errors and profile intervals.
#include <fmt/format.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>

#include "gram/lapack.hpp"
#include "learn/curvature.hpp"
#include "learn/optimize.hpp"
#include "model/state.hpp"
#include "numeric/constants.hpp"

namespace ggpm {

using namespace internal;

namespace {

constexpr double kFlat = 1e-6;  // a curvature below this, relative to the largest, is none
constexpr double kProfileTolerance = 0.02;  // of an end, in learned coordinates

constexpr double kTooWide = 13.8;  // an interval of a logarithm: its ends differ by a million

// A probability, a correlation, a power: between two ends that it cannot reach.
bool is_bounded(const Parameter& p) {
  return !p.positive && p.role == Role::dispersion && std::isfinite(p.lower) &&
         std::isfinite(p.upper) && p.lower < p.value && p.value < p.upper;
}

// Symmetric in u = log((p - lower) / (upper - p)), so that it ends inside; dp/du = share (1 - share)
// (upper - lower).
Interval bounded_interval(const Parameter& p, double step) {
  const double range = p.upper - p.lower, share = (p.value - p.lower) / range;
  const double u = std::log(share / (1 - share)), of_u = step / (range * share * (1 - share));
  const auto at = [&](double x) { return p.lower + range / (1 + std::exp(-x)); };
  return {at(u - of_u), at(u + of_u)};
}

}  // namespace

bool FittedParameter::unidentified() const {
  if (!standard_error || parameter.fixed || at_lower || at_upper) return false;
  if (!std::isfinite(*standard_error)) return true;
  const double width = 2 * kNormal95 * *standard_error;
  return width > (parameter.positive ? kTooWide : parameter.upper - parameter.lower);
}

std::optional<Interval> FittedParameter::interval() const {
  if (!standard_error || !std::isfinite(*standard_error) || unidentified()) return std::nullopt;
  const double step = kNormal95 * *standard_error;
  if (is_bounded(parameter)) return bounded_interval(parameter, step);
  if (!parameter.positive) return Interval{parameter.value - step, parameter.value + step};
  return Interval{parameter.value * std::exp(-step), parameter.value * std::exp(step)};
}

std::string FittedParameter::remark() const {
  if (parameter.fixed) return "held";
  if (at_lower) return "at its lower bound";
  if (at_upper) return "at its upper bound";
  return unidentified() ? "not identified" : "";
}

Hyperparameters GeneralizedGP::compute_standard_errors(int threads) const {
  const ParameterSpace& space = state_->task.space;
  const Vector at = space.learned(state_->at);
  Vector errors = Vector::Constant(space.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<Index> free;
  const std::vector<FittedParameter> parameters = this->parameters();
  for (Index i = 0; i < space.size(); ++i) {
    const FittedParameter& p = parameters[static_cast<std::size_t>(i)];
    if (!p.parameter.fixed && !p.at_lower && !p.at_upper) free.push_back(i);
  }
  if (free.empty()) return space.split(errors);
  Matrix vectors = curvature(state_->task, at, free, state_->posterior, threads);
  if (!vectors.allFinite()) return space.split(errors);
  const Vector values = lapack::eigen_symmetric(vectors);
  const double smallest = kFlat * std::max(values.cwiseAbs().maxCoeff(), 1e-300);
  for (Index i = 0; i < static_cast<Index>(free.size()); ++i) {
    double variance = 0;
    for (Index k = 0; k < values.size(); ++k) {
      const double weight = std::pow(vectors(i, k), 2);
      // A flat or rising direction that this parameter takes part in: its error is not finite.
      if (values[k] <= smallest && weight > 1e-3)
        variance = std::numeric_limits<double>::quiet_NaN();
      if (values[k] > smallest) variance += weight / values[k];
    }
    errors[free[static_cast<std::size_t>(i)]] = std::sqrt(variance);
  }
  return space.split(errors);
}

namespace {

// The objective maximized over all parameters but one.
class Profile {
 public:
  Profile(const internal::ModelState& state, Index parameter)
      : task_(state.task), parameter_(parameter), at_(task_.space.learned(state.at)) {
    top_ = Objective(task_).evaluate(at_, &state.posterior, false).objective;
    task_.space.hold(parameter);
    task_.inference.tolerance = std::max(task_.inference.tolerance, 1e-6);
  }

  double here() const { return at_[parameter_]; }
  double bound(double direction) const {
    const Parameter& p = task_.space[parameter_];
    return task_.space.to_learned(parameter_, direction > 0 ? p.upper : p.lower);
  }

  // How far below the optimum, with the parameter at x; searches from the last point of this side.
  double drop(double x, Vector& from) {
    from[parameter_] = x;
    Objective objective(task_);
    const Climb best = climb(objective, from, {.tolerance = 1e-3, .max_evaluations = 60});
    if (!best.usable) return std::numeric_limits<double>::infinity();
    from = best.at;
    return top_ - best.best.objective;
  }

  // Where the drop reaches `wanted`, and whether it does before the bound.
  std::pair<double, bool> end(double direction, double wanted) {
    const double limit = bound(direction);
    Vector from = at_;
    double inside = here(), outside = here(), step = 0.25;
    double inside_drop = 0, outside_drop = 0;
    while (outside_drop < wanted) {
      if (outside == limit) return {limit, false};
      inside = outside;
      inside_drop = outside_drop;
      outside = inside + direction * step;
      if ((limit - outside) * direction < 0) outside = limit;
      outside_drop = drop(outside, from);
      step *= 2;
    }
    // Square roots of drops are nearly straight lines: the secant lands close, halving is the
    // guard.
    for (int k = 0; k < 30 && std::abs(outside - inside) > kProfileTolerance; ++k) {
      const double a = std::sqrt(std::max(inside_drop, 0.0)), b = std::sqrt(outside_drop);
      double part = std::isfinite(b) && b > a ? (std::sqrt(wanted) - a) / (b - a) : 0.5;
      part = std::clamp(part, 0.1, 0.9);
      const double middle = inside + part * (outside - inside);
      const double middle_drop = drop(middle, from);
      if (middle_drop < wanted) {
        inside = middle;
        inside_drop = middle_drop;
      } else {
        outside = middle;
        outside_drop = middle_drop;
      }
    }
    return {(inside + outside) / 2, true};
  }

 private:
  LearningTask task_;
  Index parameter_;
  Vector at_;
  double top_ = 0;
};

}  // namespace

Interval GeneralizedGP::compute_profile_interval(std::string_view parameter, double level) const {
  if (!(level > 0 && level < 1))
    throw UsageError(fmt::format("profile interval: {} is not a level between 0 and 1", level));
  const ParameterSpace& space = state_->task.space;
  const Index i = space.find(parameter);
  if (space[i].fixed)
    throw UsageError(fmt::format("profile interval: '{}' is held, not learned", parameter));
  const double wanted = boost::math::quantile(boost::math::chi_squared(1), level) / 2;
  Profile profile(*state_, i);
  const auto [lower, lower_reached] = profile.end(-1, wanted);
  const auto [upper, upper_reached] = profile.end(1, wanted);
  return {space.to_value(i, lower), space.to_value(i, upper), !lower_reached, !upper_reached};
}

}  // namespace ggpm
