// The distribution of y for a given eta, when nothing is known but log p(y): counts are summed,
// real numbers integrated in a coordinate that stretches their support to the whole line.
#pragma once

#include <cmath>

#include "likelihood/formula/file.hpp"

namespace ggpm::formula {

// y -> log p(y | eta), with what depends on eta alone computed once.
class DensityOfY {
 public:
  DensityOfY(const Functions& functions, double eta, double phi)
      : functions_(functions), phi_(phi) {
    const double theta = functions.theta.evaluate(eta, phi);
    const double a = functions.a.evaluate(0.0, phi);
    slope_ = theta / a;
    constant_ = functions.b.evaluate(theta, phi) / a;
  }
  double operator()(double y) const {
    return functions_.T.evaluate(y, phi_) * slope_ - constant_ + functions_.c.evaluate(y, phi_);
  }
  // False where theta or b has overflowed.
  bool finite() const { return std::isfinite(slope_) && std::isfinite(constant_); }

 private:
  const Functions& functions_;
  double phi_, slope_, constant_;  // theta/a, b/a
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
};

// The density must outlive the result, and its functions the density.
std::unique_ptr<Outcome> make_outcome(Domain domain, const DensityOfY& density);
std::unique_ptr<Outcome> make_discrete(Domain domain, const DensityOfY& density);
std::unique_ptr<Outcome> make_continuous(Domain domain, const DensityOfY& density);

}  // namespace ggpm::formula
