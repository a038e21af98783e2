#include "learn/optimize.hpp"

#include <nlopt.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include "learn/parallel.hpp"

namespace ggpm::internal {
namespace {

constexpr double kSmallestGap = 1e-4, kLargestGap = 1e3;  // of cut points

// The free parameters as the optimizer sees them: as they are learned, but for cut points, which have
// the logarithm of the distance to the one below. So they stay in order, and two that meet, because
// no row has the level between, end at a bound.
class Coordinates {
 public:
  explicit Coordinates(const LearningTask& task) : space_(task.space), free_(task.space.free()) {
    const Index first_cut = space_.size() - std::ssize(task.parts.likelihood->parameters());
    const bool ordinal = task.parts.likelihood->levels() > 0;
    for (const Index i : free_) gap_.push_back(ordinal && i > first_cut && !space_[i - 1].fixed);
  }
  std::vector<double> of(const Vector& at) const {
    std::vector<double> x;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const Index i = free_[k];
      x.push_back(gap_[k] ? std::log(std::max(at[i] - at[i - 1], kSmallestGap)) : at[i]);
    }
    return x;
  }
  void move(Vector& at, const double* x) const {
    for (std::size_t k = 0; k < free_.size(); ++k)
      at[free_[k]] = gap_[k] ? at[free_[k] - 1] + std::exp(x[k]) : x[k];
  }
  double slope(const Vector& gradient, const Vector& at, std::size_t k) const {
    double sum = gradient[free_[k]];
    for (std::size_t j = k + 1; j < free_.size() && gap_[j]; ++j) sum += gradient[free_[j]];
    return gap_[k] ? sum * (at[free_[k]] - at[free_[k] - 1]) : sum;
  }
  double lower(std::size_t k) const {
    return gap_[k] ? std::log(kSmallestGap) : space_.to_learned(free_[k], space_[free_[k]].lower);
  }
  double upper(std::size_t k) const {
    return gap_[k] ? std::log(kLargestGap) : space_.to_learned(free_[k], space_[free_[k]].upper);
  }

 private:
  const ParameterSpace& space_;
  std::vector<Index> free_;
  std::vector<bool> gap_;
};

// What NLopt calls. Minimises the negative objective divided by a constant, so that the first
// steepest-descent step has a sensible length.
class Run {
 public:
  Run(Objective& objective, const Vector& start, const ClimbOptions& options)
      : objective_(objective),
        options_(options),
        free_(objective.task().space.free()),
        coordinates_(objective.task()) {
    out_.at = objective.task().space.clamped(start);
  }

  Climb go() {
    try {
      climb();
    } catch (const StopRun&) {
      out_.stopped = true;
    }
    return std::move(out_);
  }

 private:
  using Handle = std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)>;

  void climb() {
    evaluate(out_.at, /*first=*/true);
    if (!out_.usable) return;
    if (free_.empty()) {
      out_.converged = true;
      return;
    }
    double largest = 0;
    for (std::size_t k = 0; k < free_.size(); ++k)
      largest = std::max(largest, std::abs(best_slope(k)));
    scale_ = std::max(largest / options_.first_step, 1e-8);
    do {
      minimize();
    } while (at_wall_ && out_.evaluations < options_.max_evaluations);
  }

  void minimize() {
    const auto n = static_cast<unsigned>(free_.size());
    Handle opt(
        nlopt_create(options_.climber == Climber::slsqp ? NLOPT_LD_SLSQP : NLOPT_LD_LBFGS, n),
        &nlopt_destroy);
    if (opt == nullptr) throw std::bad_alloc();
    const std::vector<double> before = coordinates_.of(out_.at);
    std::vector<double> lower, upper, x;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      lower.push_back(coordinates_.lower(k));
      upper.push_back(coordinates_.upper(k));
      if (options_.radius > 0) {
        lower.back() = std::max(lower.back(), before[k] - options_.radius);
        upper.back() = std::min(upper.back(), before[k] + options_.radius);
      }
      x.push_back(std::clamp(before[k], lower.back(), upper.back()));
    }
    nlopt_set_lower_bounds(opt.get(), lower.data());
    nlopt_set_upper_bounds(opt.get(), upper.data());
    nlopt_set_min_objective(opt.get(), &Run::callback, this);
    nlopt_set_ftol_abs(opt.get(), options_.tolerance / scale_);
    nlopt_set_xtol_rel(opt.get(), 0);
    nlopt_set_maxeval(opt.get(), 10 * options_.max_evaluations);  // ours are counted here
    handle_ = opt.get();
    double value = 0;
    const nlopt_result result = nlopt_optimize(opt.get(), x.data(), &value);
    if (exception_) std::rethrow_exception(exception_);
    at_wall_ = false;
    const std::vector<double> after = coordinates_.of(out_.at);
    for (std::size_t k = 0; k < free_.size(); ++k)
      at_wall_ |= options_.radius > 0 && std::abs(after[k] - before[k]) > 0.999 * options_.radius;
    // A line search that cannot improve by the last digits is the end of the road as well.
    out_.converged = result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED ||
                     result == NLOPT_SUCCESS || result == NLOPT_STOPVAL_REACHED ||
                     (result == NLOPT_ROUNDOFF_LIMITED || result == NLOPT_FAILURE ? flat() : false);
  }

  // The gradient that bounds do not stop is small.
  bool flat() const {
    const std::vector<double> x = coordinates_.of(out_.at);
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const double g = best_slope(k);
      const double bound = g > 0 ? coordinates_.upper(k) : coordinates_.lower(k);
      if (std::abs(g) > 1e-2 && std::abs(x[k] - bound) > 1e-6) return false;
    }
    return true;
  }

  double best_slope(std::size_t k) const {
    return coordinates_.slope(out_.best.gradient, out_.at, k);
  }

  static double callback(unsigned n, const double* x, double* gradient, void* self) {
    return static_cast<Run*>(self)->value(n, x, gradient);
  }

  double value(unsigned n, const double* x, double* gradient) {
    // NLopt finishes its line search before it obeys nlopt_force_stop.
    if (exception_) return std::numeric_limits<double>::infinity();
    Vector at = out_.at;
    coordinates_.move(at, x);
    // NLopt asks for a value first and for the gradient at the same point afterwards.
    if (at == out_.at) {
      for (unsigned k = 0; gradient != nullptr && k < n; ++k) gradient[k] = -best_slope(k) / scale_;
      return -out_.best.objective / scale_;
    }
    if (at != last_at_) {
      if (out_.evaluations >= options_.max_evaluations) {
        nlopt_force_stop(handle_);
        return std::numeric_limits<double>::infinity();
      }
      try {
        evaluate(at, /*first=*/false);
      } catch (...) {
        exception_ = std::current_exception();
        nlopt_force_stop(handle_);
        return std::numeric_limits<double>::infinity();
      }
    }
    if (last_failed_) {
      // A wall that points back to the best point makes the line search shorten its step.
      const std::vector<double> best = coordinates_.of(out_.at);
      for (unsigned k = 0; gradient != nullptr && k < n; ++k) gradient[k] = x[k] - best[k];
      return -out_.best.objective / scale_ + 1e3 + std::abs(out_.best.objective) / scale_;
    }
    for (unsigned k = 0; gradient != nullptr && k < n; ++k)
      gradient[k] = -coordinates_.slope(last_gradient_, at, k) / scale_;
    return -last_value_ / scale_;
  }

  void evaluate(const Vector& at, bool first) {
    ++out_.evaluations;
    last_at_ = at;
    last_failed_ = true;
    try {
      Evaluation e = objective_.evaluate(at, out_.usable ? &out_.best.inferred.posterior : nullptr);
      if (first || e.converged()) {
        last_failed_ = false;
        last_value_ = e.objective;
        last_gradient_ = e.gradient;
        // A start that did not converge gives way to the first point that did.
        if (first || e.objective > out_.best.objective || !out_.best.converged()) {
          out_.best = std::move(e);
          out_.at = at;
          if (options_.on_better) options_.on_better(at, out_.best.log_marginal);
        }
        out_.usable = true;
      }
    } catch (const NumericalError&) {
    } catch (const Error&) {
      // A start of the user's that cannot be is an error; a step of ours is only too long.
      if (first) throw;
    }
    if (last_failed_) ++out_.failures;
    if (options_.on_evaluation)
      options_.on_evaluation(out_.usable ? out_.best.log_marginal
                                         : -std::numeric_limits<double>::infinity());
  }

  Objective& objective_;
  const ClimbOptions& options_;
  std::vector<Index> free_;
  Coordinates coordinates_;
  double scale_ = 1;
  Climb out_;
  Vector last_at_, last_gradient_;
  double last_value_ = 0;
  bool last_failed_ = false;
  bool at_wall_ = false;
  nlopt_opt handle_ = nullptr;
  std::exception_ptr exception_;
};

}  // namespace

Climb climb(Objective& objective, const Vector& start, const ClimbOptions& options) {
  return Run(objective, start, options).go();
}

}  // namespace ggpm::internal
