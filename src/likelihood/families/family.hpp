// What the families share: the constants they declare and the distribution functions they call.
//
// A family is {a(phi), b(theta, phi), c(phi, y), T(y)} of the paper (eqn:expo, tab:ExpoDistLink),
// with theta as a function of the mean's coordinate (links.hpp), so that families and links
// combine. `log_density` is the same (T theta - b)/a + c, regrouped so that nothing cancels: as
// printed, the gamma-shape density at phi = 1e-8 is a difference of numbers near 1e9. Tests hold
// the two equal.
#pragma once

#include <cmath>
#include <string_view>

#include "ggpm/likelihood.hpp"
#include "likelihood/links.hpp"
#include "numeric/quiet.hpp"

namespace ggpm::families {

using links::Unit;
using numeric::excess;
using numeric::kLog2Pi;
using numeric::lgamma1p;
using numeric::log1mexp;
using numeric::root;
using numeric::softplus;
using numeric::stirling;

// The closed forms of a family, in plain doubles: AtPhi holds what depends on phi alone (phi itself
// unless a family says otherwise), AtRow what depends on the row as well; then value, d/dphi at a
// fixed coordinate, and both with all derivatives in the coordinate. About ten times faster than
// the derived ones; a test holds the two equal.
using links::chain;
using links::Curve;
using links::UnitCurve;

// Derivatives in a coordinate, and how they move with phi while it stays.
struct Part {
  double d1 = 0, d2 = 0, d3 = 0, d1_phi = 0, d2_phi = 0;
};
struct Whole {
  double value, dphi;
  Part mean;
};
struct UnitWhole {  // a sum of functions of log mu and of log(1 - mu)
  double value, dphi;
  Part mean, rest;
};

template <class Family>
struct PhiConstants {
  using type = double;
};
template <class Family>
requires requires { typename Family::AtPhi; }
struct PhiConstants<Family> {
  using type = typename Family::AtPhi;
};

using numeric::quiet;
using numeric::Quiet;

// log Gamma(x) for x > 0 without the pole's cancellation.
template <class Real>
Real log_gamma(const Real& x) {
  using std::log;
  return lgamma1p(x) - log(x);
}

// f = a log y - log Gamma(a), as a function of the log of the shape a = mu/phi: what beta and
// gamma-scale share.
struct ShapeTerm {
  double log_shape, shape;
  double gamma = 0, gamma_slope = 0;  // of the gamma function's part
  Part part;

  // Large shapes: psi(a) = log a - 1/(2a) + s'(a), so that f' = a (x - s'(a)) + 1/2 with x =
  // log y - log mu. Small ones: f' = a (log y - psi(1+a)) + 1. d/dphi at a fixed mu is -(1/phi)
  // d/d log a, and +a/phi more where y is in units of phi, or a multiple of a may be added: with
  // large shapes always, since there it takes a cancellation away.
  ShapeTerm(double log_shape_, double x, double log_y, bool large, bool in_units_of_phi)
      : ShapeTerm(log_shape_, large, 3, x, log_y, in_units_of_phi) {}
  // The value alone.
  ShapeTerm(double log_shape_, bool large) : ShapeTerm(log_shape_, large, 0, 0, 0, false) {}

 private:
  ShapeTerm(double log_shape_, bool large, std::size_t order, double x, double log_y, bool units)
      : log_shape(log_shape_), shape(std::exp(log_shape_)) {
    const double a = shape;
    numeric::Derivs d{};
    (large ? numeric::stirling_derivs : numeric::lgamma1p_derivs)(a, order, d);
    gamma = d[0];
    if (order == 0) return;
    gamma_slope = d[1];
    const double slope = a * ((large ? x : log_y) - d[1]);
    const double drift = large ? a : 0;  // of x with log a
    const double second = slope - a * a * d[2];
    const double third = second - drift - a * a * (2 * d[2] + a * d[3]);
    const double moved = units && !large ? a : 0;
    part = {.d1 = slope + (large ? 0.5 : 1),
            .d2 = second - drift,
            .d3 = third - drift,
            .d1_phi = -(second + moved),  // times 1/phi
            .d2_phi = -(third + moved)};
  }
};

}  // namespace ggpm::families
