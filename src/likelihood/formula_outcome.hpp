// The distribution of y for a given eta, when nothing is known but log p(y): counts are summed,
// real numbers integrated in a coordinate that stretches their support to the whole line.
#pragma once

#include <cmath>

#include "likelihood/formula_file.hpp"

namespace ggpm::formula {

// y -> log p(y | eta), with what depends on eta alone computed once.
class DensityOfY {
 public:
  DensityOfY(const Formula& formula, double eta, double phi)
      : formula_(formula), phi_(phi), theta_(formula.theta.evaluate(eta, phi)) {
    const double a = formula.a.evaluate(0.0, phi);
    slope_ = theta_ / a;
    constant_ = formula.b.evaluate(theta_, phi) / a;
  }
  double operator()(double y) const {
    return formula_.T.evaluate(y, phi_) * slope_ - constant_ + formula_.c.evaluate(y, phi_);
  }
  double theta() const { return theta_; }
  double constant() const { return constant_; }  // b/a

 private:
  const Formula& formula_;
  double phi_, theta_, slope_, constant_;
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

// The density must outlive the result.
std::unique_ptr<Outcome> make_outcome(Domain domain, const DensityOfY& density);
std::unique_ptr<Outcome> make_discrete(Domain domain, const DensityOfY& density);
std::unique_ptr<Outcome> make_continuous(Domain domain, const DensityOfY& density);

}  // namespace ggpm::formula
