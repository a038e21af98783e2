#include "numeric/incomplete_gamma.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <numbers>

#include "numeric/quiet.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal::numeric {
namespace {

// Near x = a Boost 1.74 sums sqrt(a) terms, a hundred microseconds for a count of 1e9, and gives up
// in silence at 1e12. Temme's expansion is uniform in x and needs two terms for an `a` this large.
bool is_large(double a, double x) { return a > 1e5 && x > 0 && std::isfinite(x); }

struct Tails {
  double p, q;
  double bell;  // e^{-a eta^2/2}/sqrt(2 pi a), the density of x up to 1/a
};

// Q = erfc(eta sqrt(a/2))/2 + R, P = erfc(-eta sqrt(a/2))/2 - R. (DLMF 8.12.3-8.12.10)
Tails expand(double a, double x) {
  const double mu = (x - a) / a;
  const double half_square = -boost::math::log1pmx(mu, quiet);  // eta^2/2 = mu - log(1 + mu)
  const double eta = std::copysign(std::sqrt(2 * half_square), mu);
  double c0, c1;
  if (std::abs(mu) < 7e-4) {
    c0 = -1.0 / 3 + mu * (1.0 / 12 - mu * (23.0 / 540 - mu * (353.0 / 12960 - mu * 589.0 / 30240)));
    c1 = -1.0 / 540 - mu / 288;
  } else {
    c0 = 1 / mu - 1 / eta;
    c1 = 1 / (eta * eta * eta) - (12 + mu * (12 + mu)) / (12 * mu * mu * mu);
  }
  const double bell = std::exp(-a * half_square) / std::sqrt(2 * std::numbers::pi * a);
  const double rest = bell * (c0 + c1 / a), z = eta * std::sqrt(a / 2);
  return {0.5 * std::erfc(-z) - rest, 0.5 * std::erfc(z) + rest, bell};
}

}  // namespace

double gamma_p(double a, double x) {
  return is_large(a, x) ? expand(a, x).p : boost::math::gamma_p(a, x, quiet);
}

double gamma_q(double a, double x) {
  return is_large(a, x) ? expand(a, x).q : boost::math::gamma_q(a, x, quiet);
}

double gamma_p_inverse(double a, double p) {
  if (std::isinf(a)) return a;
  if (!is_large(a, a)) return boost::math::gamma_p_inv(a, p, quiet);
  // Wilson and Hilferty's start, then Newton.
  const double cube = 1 - 1 / (9 * a) + ndtri(p) / (3 * std::sqrt(a));
  double x = a * cube * cube * cube;
  for (int i = 0; i < 3; ++i) {
    const Tails at = expand(a, x);
    const double step = (at.p - p) / at.bell * (x / a);
    if (!(std::abs(step) < std::sqrt(a))) break;
    x -= step;
  }
  return x;
}

}  // namespace ggpm::internal::numeric
