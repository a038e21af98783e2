// What the families share: the constants they declare and the distribution functions they call.
//
// A family is {a(phi), b(theta, phi), c(phi, y), T(y)} of the paper (eqn:expo, tab:ExpoDistLink),
// with theta as a function of the mean's coordinate (links.hpp), so that families and links
// combine. `log_density` is the same (T theta - b)/a + c, regrouped so that nothing cancels: as
// printed, the gamma-shape density at phi = 1e-8 is a difference of numbers near 1e9. Tests hold
// the two equal.
#pragma once

#include <boost/math/policies/policy.hpp>
#include <cmath>
#include <string_view>

#include "ggpm/likelihood.hpp"
#include "likelihood/links.hpp"

namespace ggpm::families {

using links::Unit;
using numeric::excess;
using numeric::kLog2Pi;
using numeric::lgamma1p;
using numeric::log1mexp;
using numeric::root;
using numeric::softplus;
using numeric::stirling;

// The closed forms of a family at one row: constants of the row computed once, then value, d/dphi
// at a fixed coordinate, and two derivatives in the coordinate, in plain doubles. About ten times
// faster than the derived ones at the many points of an integral; a test holds the two equal.
using links::Curve;
using links::UnitCurve;

// Distribution functions answer NaN or infinity, never throw: the caller looks at the result.
using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_double<false>>;
inline constexpr Quiet quiet{};

// log Gamma(x) for x > 0 without the pole's cancellation.
template <class Real>
Real log_gamma(const Real& x) {
  using std::log;
  return lgamma1p(x) - log(x);
}

}  // namespace ggpm::families
