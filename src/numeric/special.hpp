// Special functions that keep their digits, for doubles, autodiff numbers and multiprecision
// numbers.
//
// Each is written as "value and derivatives at a double", so that a derivative is as accurate as
// the value: composing exp and log by the chain rule alone would lose every digit of, say, the
// second derivative of log softplus(x) at x = -60, which is -e^-60/2.
#pragma once

#include <boost/math/special_functions/gamma.hpp>

#include "numeric/autodiff.hpp"

namespace ggpm::internal::numeric {

inline constexpr double kLog2Pi = 1.83787706640934548356;

// Values and derivatives at a double, up to `order` (at most kMaxOrder). src/numeric/special.cpp
void softplus_derivs(double x, std::size_t order, Derivs& d);      // log(1 + e^x)
void log_softplus_derivs(double x, std::size_t order, Derivs& d);  // log(log(1 + e^x))
void log_ndtr_derivs(double x, std::size_t order, Derivs& d);      // log Phi(x)
void log_cloglog_derivs(double x, std::size_t order, Derivs& d);   // log(1 - exp(-e^x))
void log1mexp_derivs(double x, std::size_t order, Derivs& d);      // log(1 - e^x), x < 0
void excess_derivs(double x, std::size_t order, Derivs& d);        // e^x - 1 - x
void expm1_derivs(double x, std::size_t order, Derivs& d);         // e^x - 1
void log1p_derivs(double x, std::size_t order, Derivs& d);         // log(1 + x)
void lgamma1p_derivs(double x, std::size_t order, Derivs& d);      // log Gamma(1 + x), x > -1
void stirling_derivs(double x,
                     std::size_t order,
                     Derivs& d);  // log Gamma(1+x) - Stirling's formula
void log_expm1_ratio_derivs(double x, std::size_t order, Derivs& d);  // log((e^x - 1)/x)
void log_log1p_ratio_derivs(double x, std::size_t order, Derivs& d);  // log(log(1+x)/x), x > -1

double digamma_inverse(double y);  // the x > 0 with psi(x) = y
double ndtri(double p);            // inverse of Phi

// The same names for every number type. A multiprecision number (only tests use one) takes the
// textbook formula: it has digits to spare, which is what makes it an oracle.
#define GGPM_LIFTED(name, textbook)                               \
  template <class Real>                                           \
  Real name(const Real& x) {                                      \
    if constexpr (std::is_same_v<Real, double> || is_jet<Real>) { \
      return lift(x, name##_derivs);                              \
    } else {                                                      \
      return textbook;                                            \
    }                                                             \
  }
GGPM_LIFTED(softplus, log(1 + exp(x)))
GGPM_LIFTED(log_softplus, log(log(1 + exp(x))))
GGPM_LIFTED(log_ndtr, log(boost::math::erfc(-x / sqrt(Real(2))) / 2))
GGPM_LIFTED(log_cloglog, log(1 - exp(-exp(x))))
GGPM_LIFTED(log1mexp, log(1 - exp(x)))
GGPM_LIFTED(excess, exp(x) - 1 - x)
GGPM_LIFTED(expm1, exp(x) - 1)
GGPM_LIFTED(log1p, log(1 + x))
GGPM_LIFTED(lgamma1p, boost::math::lgamma(Real(1 + x)))
GGPM_LIFTED(stirling,
            boost::math::lgamma(Real(1 + x)) -
                (x * log(x) - x + log(2 * boost::math::constants::pi<Real>() * x) / 2))
GGPM_LIFTED(log_expm1_ratio, log((exp(x) - 1) / x))
GGPM_LIFTED(log_log1p_ratio, log(log(1 + x) / x))
#undef GGPM_LIFTED

// log of the Poisson probability of a real k >= 0 at rate e^log_rate, by Loader's saddle point: the
// large terms k log k and lgamma(k) never appear.                        (Loader 2000)
template <class K, class Real>
Real log_poisson(const K& k, const Real& log_rate) {
  using std::exp;
  using std::log;
  if (root(k) == 0) return -exp(log_rate);
  if (root(k) < 1) return k * log_rate - exp(log_rate) - lgamma1p(k);
  return -k * excess(Real(log_rate - log(k))) - (kLog2Pi + log(k)) / 2 - stirling(k);
}

// log B(x; n, p) with x and n - x real and positive, given log p and log(1-p).   (Loader 2000)
template <class X, class Real>
Real log_binomial(const X& x, const X& rest, const Real& log_p, const Real& log_q) {
  using std::log;
  const X n = x + rest;
  return -x * excess(Real(log_p + log(n) - log(x))) -
         rest * excess(Real(log_q + log(n) - log(rest))) +
         (log(n) - log(x) - log(rest) - kLog2Pi) / 2 + stirling(n) - stirling(x) - stirling(rest);
}

}  // namespace ggpm::internal::numeric
