// The distribution of y for a given eta, when nothing is known but log p(y): counts are summed,
// real numbers integrated in a coordinate that stretches their support to the whole line.
#pragma once

#include <functional>
#include <memory>

#include "ggpm/likelihood.hpp"

namespace ggpm::internal::outcomes {

inline constexpr double kDrop = 38;       // what is below e^-38 of the largest is left out
inline constexpr double kHopeless = 800;  // exp(-800) is 0
inline constexpr double kAccuracy = 1e-10;

// y -> log p(y | eta).
class DensityOfY {
 public:
  virtual ~DensityOfY() = default;
  virtual double operator()(double y) const = 0;
};

class Outcome {
 public:
  virtual ~Outcome() = default;
  virtual double total() const = 0;  // of all probabilities: 1 if the formulas are right
  virtual double mean() const = 0;   // NaN where it does not exist
  virtual double variance() const = 0;
  virtual double mode() const = 0;  // highest interior maximum; 0 or NaN if there is none
  virtual double cdf(double y) const = 0;
  virtual double quantile(double p) const = 0;
  // E f(y), for an f that grows less than the tails fall.
  virtual double average(const std::function<double(double)>& f) const = 0;
};

// The density must outlive the result. Of trials there are `trials`, where there are any.
std::unique_ptr<Outcome> make_outcome(Domain domain, const DensityOfY& density, double trials = 1);
std::unique_ptr<Outcome> make_discrete(double largest, const DensityOfY& density);
std::unique_ptr<Outcome> make_continuous(Domain domain, const DensityOfY& density);

}  // namespace ggpm::internal::outcomes
