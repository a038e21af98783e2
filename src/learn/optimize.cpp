#include "learn/optimize.hpp"

#include <nlopt.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include "learn/parallel.hpp"
#include "learn/walk.hpp"

namespace ggpm::internal {
namespace {

// What NLopt calls. Minimises the negative objective divided by a constant, so that the first
// steepest-descent step has a sensible length.
class Run final : public Walk {
 public:
  using Walk::Walk;

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
    if (coordinates_.size() == 0) {
      out_.converged = true;
      return;
    }
    double largest = 0;
    for (std::size_t k = 0; k < coordinates_.size(); ++k)
      largest = std::max(largest, std::abs(best_slope(k)));
    scale_ = std::max(largest / options_.first_step, 1e-8);
    do {
      minimize();
    } while (at_wall_ && out_.evaluations < options_.max_evaluations);
  }

  void minimize() {
    const auto n = static_cast<unsigned>(coordinates_.size());
    Handle opt(
        nlopt_create(options_.climber == Climber::slsqp ? NLOPT_LD_SLSQP : NLOPT_LD_LBFGS, n),
        &nlopt_destroy);
    if (opt == nullptr) throw std::bad_alloc();
    const std::vector<double> before = coordinates_.of(out_.at);
    radius_.resize(coordinates_.size(), options_.radius);
    std::vector<double> lower, upper, x;
    for (std::size_t k = 0; k < coordinates_.size(); ++k) {
      lower.push_back(coordinates_.lower(k));
      upper.push_back(coordinates_.upper(k));
      if (options_.radius > 0) {
        lower.back() = std::max(lower.back(), before[k] - radius_[k]);
        upper.back() = std::min(upper.back(), before[k] + radius_[k]);
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
    // A coordinate that goes on for long, to a far bound as a rule, does so in longer steps.
    for (std::size_t k = 0; k < coordinates_.size() && options_.radius > 0; ++k) {
      const bool reached = std::abs(after[k] - before[k]) > 0.999 * radius_[k];
      radius_[k] = reached ? 2 * radius_[k] : options_.radius;
      at_wall_ |= reached;
    }
    // A line search that cannot improve by the last digits is the end of the road as well.
    out_.converged = result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED ||
                     result == NLOPT_SUCCESS || result == NLOPT_STOPVAL_REACHED ||
                     (result == NLOPT_ROUNDOFF_LIMITED || result == NLOPT_FAILURE ? flat() : false);
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

  double scale_ = 1;
  std::vector<double> radius_;  // of the box, in each coordinate
  bool at_wall_ = false;
  nlopt_opt handle_ = nullptr;
  std::exception_ptr exception_;
};

}  // namespace

Climb climb(Objective& objective, const Vector& start, const ClimbOptions& options) {
  return Run(objective, start, options).go();
}

}  // namespace ggpm::internal
