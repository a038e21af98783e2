#include "numeric/incomplete_beta.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <numbers>

#include "numeric/quiet.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal::numeric {
namespace {

// Near x = a/(a + b) Boost's continued fraction needs about sqrt(min(a, b)) terms: minutes for 1e15
// successes. Temme's expansion is uniform in x, and two of its terms are right to 1e-12 from here.
bool are_large(double a, double b) { return std::min(a, b) > 1e5; }

struct Expansion {
  double p, q;   // I_x and 1 - I_x
  double dp_dx;  // the density
};

// With n = a + b, x0 = a/n, s^2 = x0 (1 - x0), u = (x - x0)/s:
//   -eta^2/2 = x0 log(x/x0) + (1-x0) log((1-x)/(1-x0)),   sign(eta) = sign(u)
//   I_x = erfc(-eta sqrt(n/2))/2 + e^{-n eta^2/2}/sqrt(2 pi n) (S0 + S1/n + ...)
//   S0 = 1/eta - 1/u,   S1 = x(1-x)/(s^2 u^3) - 1/eta^3 - g/u,   12 g = 1 - 1/x0 - 1/(1-x0)
// from d I_x / d eta = sqrt(n/2 pi) e^{-n eta^2/2} (1 + g/n) eta/u.               (Temme 1992)
Expansion expand(double a, double b, double x, double y) {
  const double n = a + b, x0 = a / n, y0 = b / n, s = std::sqrt(x0 * y0);
  const double away = x * y0 - y * x0;  // x - x0
  const double u = away / s, skew = (y0 - x0) / s;
  const double half_square =
      -(x0 * boost::math::log1pmx(away / x0, quiet) + y0 * boost::math::log1pmx(-away / y0, quiet));
  const double eta = std::copysign(std::sqrt(2 * half_square), u);
  const double g = (1 - 1 / x0 - 1 / y0) / 12;
  double s0, s1;
  if (std::abs(u) * (1 + std::abs(skew)) < 1e-3) {
    const double k2 = skew * skew;
    s0 = skew / 3 -
         u * ((k2 + 3) / 12 - u * (skew * (23 * k2 + 81) / 540 -
                                   u * (353 * k2 * k2 / 12960 + 29 * k2 / 240 + 7.0 / 96)));
    s1 = skew * (k2 + 27) / 540;
  } else {
    s0 = 1 / eta - 1 / u;
    s1 = x * y / (s * s * u * u * u) - 1 / (eta * eta * eta) - g / u;
  }
  const double bell = std::exp(-n * half_square) / std::sqrt(2 * std::numbers::pi * n);
  const double rest = bell * (s0 + s1 / n), z = eta * std::sqrt(n / 2);
  const double density = bell * (n + g) * s / (x * y);
  return {0.5 * std::erfc(-z) + rest, 0.5 * std::erfc(z) - rest, density};
}

}  // namespace

double beta_p(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  if (are_large(a, b)) return expand(a, b, x, y).p;
  return x < y ? boost::math::ibeta(a, b, x, quiet) : boost::math::ibetac(b, a, y, quiet);
}

double beta_p_inverse(double a, double b, double p) {
  if (!are_large(a, b)) return boost::math::ibeta_inv(a, b, p, quiet);
  const double n = a + b, x0 = a / n, sd = std::sqrt(x0 * (b / n) / n), z = ndtri(p);
  // Cornish and Fisher's start, then Newton.
  double x = x0 + sd * (z + (1 - 2 * x0) * (z * z - 1) / (3 * n * sd));
  for (int i = 0; i < 3; ++i) {
    const Expansion at = expand(a, b, x, 1 - x);
    const double step = (at.p - p) / at.dp_dx;
    if (!(std::abs(step) < sd)) break;
    x -= step;
  }
  return x;
}

}  // namespace ggpm::internal::numeric
