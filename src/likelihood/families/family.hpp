// What a family is, and what families share.
//
// A family is a struct of formulas, templates over the number type, in the coordinate of the mean
// (links.hpp), so that families and links combine:
//
//   name, formula, domain, Links          who it is; Links = LinkList<the default, others...>
//   a, b, c, T, theta                     log p = (T theta - b)/a + c         (eqn:expo), or
//   log_density(u, phi, row)              log p as it is
//
// That is enough: derivatives follow by automatic differentiation, means, quantiles and the like by
// sums and integrals (outcome/). Everything else is optional, used where it is there, and held to
// the formulas by tests:
//
//   dispersions        its parameters; phi is one number, or an array where there are several
//   candidates         where `auto` and `compare` try it
//   log_concave        in eta, for every y and phi, with a link that is affine
//   AtPhi, AtRow       closed forms of log p and its derivatives, below
//   expected, tilted   averages under a Gaussian latent in closed form
//   mean, variance, mode, cdf, quantile   of y, from (u, phi, row, ...)
//   log_noise, log_survival, log_cdf, scale, standardized   y is a location plus noise, so that
//                      rows may be censored (censored.hpp)
//   information        E[-d^2 log p/du^2] from (u, phi, row), where theta, a, b do not say it
//   exact_coordinate, canonical_coordinate   expansion points: where E T = T(y), and as printed
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "likelihood/links.hpp"
#include "likelihood/registry.hpp"
#include "numeric/quiet.hpp"

namespace ggpm::internal::families {

using links::Unit;
using numeric::excess;
using numeric::kLog2Pi;
using numeric::lgamma1p;
using numeric::log1mexp;
using numeric::root;
using numeric::softplus;
using numeric::stirling;

template <class... Links>
struct LinkList {};

template <class Family>
constexpr auto dispersions_of() {
  if constexpr (requires { Family::dispersions; }) {
    return std::span<const Dispersion, Family::dispersions.size()>(Family::dispersions);
  } else {
    return std::span<const Dispersion, 0>();
  }
}
template <class Family>
inline constexpr std::size_t kDispersions = decltype(dispersions_of<Family>())::extent;

// phi as the formulas of a family take it.
template <class Family, class Real>
using Phi = std::conditional_t<(kDispersions<Family> > 1),
                               std::array<Real, std::max<std::size_t>(kDispersions<Family>, 1)>,
                               Real>;

// Closed forms, in plain doubles: AtPhi holds what depends on phi alone (phi itself unless a family
// says otherwise), AtRow what depends on the row as well; then value, d/dphi at a fixed coordinate,
// and both with all derivatives in the coordinate. Ten times faster than automatic ones, and
// regrouped so that nothing cancels: as printed, the gamma-shape density at phi = 1e-8 is a
// difference of numbers near 1e9.
using links::chain;
using links::Curve;
using links::UnitCurve;

// Derivatives in a coordinate, and how they move with phi while it stays.
struct Partials {
  double d1 = 0, d2 = 0, d3 = 0, d1_phi = 0, d2_phi = 0;
};
struct DensityInMean {  // a function of the coordinate mu or log mu
  double value, dphi;
  Partials mean;
};
struct DensityInFraction {  // a sum of functions of log mu and of log(1 - mu)
  double value, dphi;
  Partials mean, complement;
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

// Where the search for a quantile begins: beyond, e^x is no double, and far beyond x + 1 is x.
inline constexpr double kLargestLog = 700;
inline double log_of_double(double x) { return std::clamp(x, -kLargestLog, kLargestLog); }

// f = a log y - log Gamma(a), as a function of the log of the shape a = mu/phi: what beta and
// gamma-scale share.
struct ShapeTerm {
  double log_shape, shape;
  double gamma = 0, gamma_slope = 0;  // of the gamma function's part
  Partials partials;

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
    // a^2 alone overflows for shapes that are in range.
    const double second = slope - a * (a * d[2]);
    const double third = second - drift - a * (a * (2 * d[2] + a * d[3]));
    const double moved = units && !large ? a : 0;
    partials = {.d1 = slope + (large ? 0.5 : 1),
                .d2 = second - drift,
                .d3 = third - drift,
                .d1_phi = -(second + moved),  // times 1/phi
                .d2_phi = -(third + moved)};
  }
};

// What gaussian and log-normal add to a location, in units of its scale.
struct NormalNoise {
  template <class Real>
  static Real log_noise(const Real& x) {
    return -(x * x + kLog2Pi) / 2;
  }
  template <class Real>
  static Real log_survival(const Real& x) {
    return numeric::log_ndtr(Real(-x));
  }
  template <class Real>
  static Real log_cdf(const Real& x) {
    return numeric::log_ndtr(x);
  }
};

}  // namespace ggpm::internal::families
