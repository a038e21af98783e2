// The regularised incomplete gamma functions, also of large arguments.
#pragma once

namespace ggpm::internal::numeric {

// P(a, x) = 1 - Q(a, x) = 1/Gamma(a) int_0^x t^(a-1) e^-t dt.
double gamma_p(double a, double x);
double gamma_q(double a, double x);

// P(a, x) = p.
double gamma_p_inverse(double a, double p);

}  // namespace ggpm::internal::numeric
