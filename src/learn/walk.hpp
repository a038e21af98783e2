// What every climb of the log marginal shares: free parameters as an optimizer sees them, and
// evaluations that warm-start each other, in which a failure is a step too long.
#pragma once

#include <vector>

#include "learn/optimize.hpp"

namespace ggpm::internal {

// The free parameters as the optimizer sees them: as they are learned, but for cut points, which have
// the logarithm of the distance to the one below. So they stay in order, and two that meet, because
// no row has the level between, end at a bound.
class Coordinates {
 public:
  explicit Coordinates(const LearningTask& task);

  std::size_t size() const { return free_.size(); }
  std::vector<double> of(const Vector& at) const;
  void move(Vector& at, const double* x) const;
  // Of the objective along coordinate k, from its gradient in learned coordinates.
  double slope(const Vector& gradient, const Vector& at, std::size_t k) const;
  double lower(std::size_t k) const;
  double upper(std::size_t k) const;

 private:
  const ParameterSpace& space_;
  std::vector<Index> free_;
  std::vector<bool> gap_;
};

class Walk {
 public:
  Walk(Objective& objective, const Vector& start, const ClimbOptions& options);

 protected:
  // At the start, where an error is the user's; afterwards it is only a step too long.
  void evaluate(const Vector& at, bool first);
  double best_slope(std::size_t k) const {
    return coordinates_.slope(out_.best.gradient, out_.at, k);
  }
  // The gradient that bounds do not stop is small.
  bool flat() const;

  Objective& objective_;
  const ClimbOptions& options_;
  Coordinates coordinates_;
  Climb out_;
  // The last evaluation, whether or not it is the best.
  Vector last_at_, last_gradient_;
  double last_value_ = 0;
  bool last_failed_ = false;
};

}  // namespace ggpm::internal
