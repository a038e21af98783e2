// Where learning begins, from the data: ranges of every parameter, a default point, random points.
#pragma once

#include <cstdint>

#include "learn/objective.hpp"

namespace ggpm::internal {

class Starts {
 public:
  // Also sets the bounds of `task.space` that nobody gave, and holds the length-scales of constant
  // inputs, which no data can tell.
  explicit Starts(LearningTask& task);

  Vector default_point() const { return center_; }
  // Start number k of a seed: independent of how many there are and of the thread that asks.
  Vector random_point(std::uint64_t seed, int k) const;

  // Weakly informative ones for the parameters of `space` that have none and are not held: as wide
  // as the ranges of random starts (docs/trust.md). Probabilities, powers and cut points have none.
  void add_priors(ParameterSpace& space) const;

  // One for each input column that is constant.
  const std::vector<Warning>& notes() const { return notes_; }

 private:
  struct Range {
    double low = 0, high = 0;  // of a learned coordinate
  };
  void measure_outputs(const LearningTask& task);
  void place_kernel(LearningTask& task);
  void place_scale(LearningTask& task, Index i, const std::vector<Index>& columns);
  void place_variances(const LearningTask& task);
  void place_mean(LearningTask& task);
  void note_constant_inputs(const Dataset& data);
  void place_cuts(const LearningTask& task);
  void place_dispersion(LearningTask& task);
  void set(Index i, double low, double center, double high);

  ParameterSpace space_;
  Vector center_;
  std::vector<Range> ranges_;
  std::vector<Warning> notes_;
  double eta_mean_ = 0, eta_square_ = 1;  // of g(y) - offset: average, mean square
  double eta_variance_ = 1;
  bool has_intercept_ = false;
};

}  // namespace ggpm::internal
