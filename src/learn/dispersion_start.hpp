// Dispersions that suit the data: those with which the likelihood alone would explain a given part
// of the variance of y. Works for every family, since it only asks for its mean and variance.
#pragma once

#include "ggpm/likelihood.hpp"

namespace ggpm::internal {

class DispersionStart {
 public:
  DispersionStart(const Likelihood& likelihood, std::vector<Row> rows);

  struct Range {
    double low, center, high;
  };
  // `given`: the family's default, or the user's.
  Range range(double given) const;
  // Beyond this, outputs cannot tell one dispersion from another; infinite: no such value.
  double largest(double given) const;

 private:
  // Of y at its mean, 0 where that does not exist; of the targets of an exact regression.
  double typical_variance(const Likelihood& trial, double phi) const;
  // The dispersion at which the variance of y at its mean is `wanted`; 0 if none is near.
  double solve(double wanted) const;

  const Likelihood& likelihood_;
  Row typical_;            // y: the average
  double variance_ = 0;    // of y
  bool censored_ = false;  // any row, so that y may vary where its known end does not
};

}  // namespace ggpm::internal
