// Automatic differentiation with Boost.Math, and the one way our own functions take part in it.
#pragma once

#include <array>
#include <boost/math/differentiation/autodiff.hpp>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace ggpm::internal::numeric {

namespace ad = boost::math::differentiation;

using Jet1 = ad::autodiff_fvar<double, 1>;  // value and first derivative
using Jet2 = ad::autodiff_fvar<double, 2>;
using Jet3 = ad::autodiff_fvar<double, 3>;
using Jet31 = ad::autodiff_fvar<double, 3, 1>;  // to third order in eta, first in phi

template <class Real>
inline constexpr bool is_jet = ad::detail::is_fvar<Real>::value;

// Highest total order of derivatives a Real carries.
template <class Real>
constexpr std::size_t order_of() {
  if constexpr (is_jet<Real>) {
    return ad::detail::get_order_sum<Real>::value;
  } else {
    return 0;
  }
}
inline constexpr std::size_t kMaxOrder = 4;  // Jet31: 3 + 1
using Derivs = std::array<double, kMaxOrder + 1>;

template <class Real>
double root(const Real& x) {
  return static_cast<double>(x);
}

// Boost would look every factorial up in a table of long doubles, which costs more than a
// logarithm.
inline constexpr Derivs kFactorial = {1, 1, 2, 6, 24};

// d^i x, or d^(i,j) x of a number in two variables.
template <class Jet, class... Orders>
double derivative(const Jet& x, Orders... orders) {
  return x.at(static_cast<std::size_t>(orders)...) *
         (... * kFactorial[static_cast<std::size_t>(orders)]);
}

// f(x) for a function given by `derivatives(x0, order, d)`, which writes f, f', ... f^(order) at a
// double x0. Composition with the series of x is Boost's (Horner on the nilpotent part).
template <class Real, class F>
Real lift(const Real& x, const F& derivatives) {
  Derivs d{};
  if constexpr (is_jet<Real>) {
    derivatives(root(x), order_of<Real>(), d);
    return x.apply_coefficients(order_of<Real>(),
                                [&d](std::size_t i) { return d[i] / kFactorial[i]; });
  } else {
    derivatives(x, std::size_t{0}, d);
    return d[0];
  }
}

}  // namespace ggpm::internal::numeric
