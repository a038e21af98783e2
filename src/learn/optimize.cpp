#include "learn/optimize.hpp"

#include <nlopt.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include "learn/parallel.hpp"

namespace ggpm::internal {
namespace {

// What NLopt calls. Minimises the negative objective divided by a constant, so that the first
// steepest-descent step has a sensible length.
class Run {
 public:
  Run(Objective& objective, const Vector& start, const ClimbOptions& options)
      : objective_(objective), options_(options), free_(objective.task().space.free()) {
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
    for (const Index i : free_) largest = std::max(largest, std::abs(out_.best.gradient[i]));
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
    const ParameterSpace& space = objective_.task().space;
    std::vector<double> lower, upper, x;
    for (const Index i : free_) {
      lower.push_back(space.to_learned(i, space[i].lower));
      upper.push_back(space.to_learned(i, space[i].upper));
      if (options_.radius > 0) {
        lower.back() = std::max(lower.back(), out_.at[i] - options_.radius);
        upper.back() = std::min(upper.back(), out_.at[i] + options_.radius);
      }
      x.push_back(std::clamp(out_.at[i], lower.back(), upper.back()));
    }
    const Vector before = out_.at;
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
    for (const Index i : free_)
      at_wall_ |= options_.radius > 0 && std::abs(out_.at[i] - before[i]) > 0.999 * options_.radius;
    // A line search that cannot improve by the last digits is the end of the road as well.
    out_.converged = result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED ||
                     result == NLOPT_SUCCESS || result == NLOPT_STOPVAL_REACHED ||
                     (result == NLOPT_ROUNDOFF_LIMITED || result == NLOPT_FAILURE ? flat() : false);
  }

  // The gradient that bounds do not stop is small.
  bool flat() const {
    const ParameterSpace& space = objective_.task().space;
    for (const Index i : free_) {
      const double g = out_.best.gradient[i];
      const double bound = space.to_learned(i, g > 0 ? space[i].upper : space[i].lower);
      if (std::abs(g) > 1e-2 && std::abs(out_.at[i] - bound) > 1e-6) return false;
    }
    return true;
  }

  static double callback(unsigned n, const double* x, double* gradient, void* self) {
    return static_cast<Run*>(self)->value(n, x, gradient);
  }

  double value(unsigned n, const double* x, double* gradient) {
    // NLopt finishes its line search before it obeys nlopt_force_stop.
    if (exception_) return std::numeric_limits<double>::infinity();
    Vector at = out_.at;
    for (unsigned k = 0; k < n; ++k) at[free_[k]] = x[k];
    // NLopt asks for a value first and for the gradient at the same point afterwards.
    if (at == out_.at) {
      for (unsigned k = 0; gradient != nullptr && k < n; ++k)
        gradient[k] = -out_.best.gradient[free_[k]] / scale_;
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
      for (unsigned k = 0; gradient != nullptr && k < n; ++k)
        gradient[k] = x[k] - out_.at[free_[k]];
      return -out_.best.objective / scale_ + 1e3 + std::abs(out_.best.objective) / scale_;
    }
    for (unsigned k = 0; gradient != nullptr && k < n; ++k)
      gradient[k] = -last_gradient_[free_[k]] / scale_;
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
