#pragma once

namespace ggpm::internal::numeric {

// Regularized incomplete beta function I_x(a, b) and its complement, for x and y = 1 - x as they
// are known (either may be far below the rounding of 1 minus the other). Constant time.
double beta_p(double a, double b, double x, double y);

// I_x(a, b) = p.
double beta_p_inverse(double a, double b, double p);

}  // namespace ggpm::internal::numeric
