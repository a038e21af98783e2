// The series of the compound Poisson-gamma density.
#pragma once

namespace ggpm::internal {

// log sum_{j >= 1} Poisson(j; j0) Poisson(j a; j0 a) j a,  with Poisson(x; r) = r^x e^-r/Gamma(x+1),
// and its derivatives in log j0 and log a. The terms have one peak near j0, about sqrt(j0/(1+a))
// wide: they are added from there outwards until they no longer count.
struct TweedieSum {
  double value, d_log_j0, d_log_a;
};
TweedieSum tweedie_sum(double log_j0, double a);

// P(Y <= y) of a Poisson number (mean `rate`) of gamma variables (shape a each) with y in units of
// their scale.
double tweedie_cdf(double rate, double a, double y);

}  // namespace ggpm::internal
