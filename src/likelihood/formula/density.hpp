// y -> log p(y | eta) of a formula, with what depends on eta alone computed once.
#pragma once

#include <cmath>

#include "likelihood/formula/file.hpp"
#include "likelihood/outcome/outcome.hpp"

namespace ggpm::internal::formula {

class FormulaDensity final : public outcomes::DensityOfY {
 public:
  FormulaDensity(const Functions& functions, double eta, double phi)
      : functions_(functions), phi_(phi) {
    const double theta = functions.theta.evaluate(eta, phi);
    const double a = functions.a.evaluate(0.0, phi);
    slope_ = theta / a;
    constant_ = functions.b.evaluate(theta, phi) / a;
  }
  double operator()(double y) const override {
    return functions_.T.evaluate(y, phi_) * slope_ - constant_ + functions_.c.evaluate(y, phi_);
  }
  // False where theta or b has overflowed.
  bool finite() const { return std::isfinite(slope_) && std::isfinite(constant_); }

 private:
  const Functions& functions_;
  double phi_, slope_, constant_;  // theta/a, b/a
};

}  // namespace ggpm::internal::formula
