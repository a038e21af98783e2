// Links. A link says where the mean is for a latent eta, in the coordinate that keeps its digits:
// mu itself for real outputs, log mu for positive ones, (log mu, log(1-mu)) for fractions.
// `inverse` is the paper's g; both are templates over the number type.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>

#include "numeric/special.hpp"

namespace ggpm::internal::links {

using numeric::log1mexp;
using numeric::log_cloglog;
using numeric::log_ndtr;
using numeric::log_softplus;
using numeric::softplus;

// log(e^m - 1), the inverse of softplus, from log m.
template <class Real>
Real inverse_log_softplus(const Real& log_mean) {
  using std::exp;
  const Real m = exp(log_mean);
  return m + log1mexp(Real(-m));
}

// A function of eta with three derivatives, in plain doubles: what the closed forms compose.
struct Curve {
  double value, d1, d2, d3 = 0;
};
inline Curve curve(void (*derivs)(double, std::size_t, numeric::Derivs&),
                   double x,
                   double sign = 1) {
  numeric::Derivs d{};
  derivs(x, 3, d);
  return {d[0], sign * d[1], d[2], sign * d[3]};
}
// f(u(eta)) from f at u and u at eta.
inline Curve chain(const Curve& f, const Curve& u) {
  return {f.value,
          f.d1 * u.d1,
          f.d2 * u.d1 * u.d1 + f.d1 * u.d2,
          f.d3 * u.d1 * u.d1 * u.d1 + 3 * f.d2 * u.d1 * u.d2 + f.d1 * u.d3};
}

// ---- real mean: mu(eta)

struct Identity {
  static constexpr std::string_view name = "identity";
  static constexpr double slope = 1;
  static constexpr double shift = 0;
  template <class Real>
  static Real at(const Real& eta) {
    return eta;
  }
  template <class Real>
  static Real inverse(const Real& mean) {
    return mean;
  }
  static Curve curve_at(double eta) { return {eta, 1, 0}; }
};
struct RealLog {
  static constexpr std::string_view name = "log";
  template <class Family>
  static constexpr bool concave_for() {
    return false;
  }
  template <class Real>
  static Real at(const Real& eta) {
    using std::exp;
    return exp(eta);
  }
  template <class Real>
  static Real inverse(const Real& mean) {
    using std::log;
    return log(mean);
  }
  static Curve curve_at(double eta) {
    const double mean = std::exp(eta);
    return {mean, mean, mean, mean};
  }
};
struct RealSoftplus {
  static constexpr std::string_view name = "softplus";
  template <class Family>
  static constexpr bool concave_for() {
    return false;
  }
  template <class Real>
  static Real at(const Real& eta) {
    return softplus(eta);
  }
  template <class Real>
  static Real inverse(const Real& mean) {
    return mean + log1mexp(Real(-mean));
  }
  static Curve curve_at(double eta) { return curve(numeric::softplus_derivs, eta); }
};

// ---- positive mean: log mu(eta) = slope * eta + shift, or log softplus(eta)

struct Log {
  static constexpr std::string_view name = "log";
  static constexpr double slope = 1;  // affine in eta: expectations have closed forms
  static constexpr double shift = 0;
  template <class Real>
  static Real at(const Real& eta) {
    return eta;
  }
  template <class Real>
  static Real inverse(const Real& log_mean) {
    return log_mean;
  }
  static Curve curve_at(double eta) { return {eta, 1, 0}; }
};
// The paper's inverse Gaussian, theta = -e^-eta, so mu = e^(eta/2)/sqrt(2).      (errata 2.9)
struct LogSquare {
  static constexpr std::string_view name = "log-square";
  static constexpr double slope = 0.5;
  static constexpr double shift = -0.34657359027997265471;  // -log(2)/2
  template <class Real>
  static Real at(const Real& eta) {
    return eta * slope + shift;
  }
  template <class Real>
  static Real inverse(const Real& log_mean) {
    return (log_mean - shift) * 2;
  }
  static Curve curve_at(double eta) { return {eta * slope + shift, slope, 0}; }
};
// The paper's linearized mean.                                        (eqn:poislin:theta)
struct Softplus {
  static constexpr std::string_view name = "softplus";
  // A log-concave family stays so only if -mu(eta) alone bends the right way.          (errata 5)
  template <class Family>
  static constexpr bool concave_for() {
    return requires { requires Family::log_concave_with_softplus; };
  }
  template <class Real>
  static Real at(const Real& eta) {
    return log_softplus(eta);
  }
  template <class Real>
  static Real inverse(const Real& log_mean) {
    return inverse_log_softplus(log_mean);
  }
  template <class Real>
  static Real mean(const Real& eta) {
    return softplus(eta);
  }
  static Curve curve_at(double eta) { return curve(numeric::log_softplus_derivs, eta); }
  static Curve mean_curve_at(double eta) { return curve(numeric::softplus_derivs, eta); }
};
struct Linear : Softplus {  // its name for counts
  static constexpr std::string_view name = "linear";
};

// ---- fractions: (log mu, log(1 - mu))

template <class Real>
struct Unit {
  Real log_mean;
  Real log_complement;
};

struct UnitCurve {
  Curve log_mean, log_complement;
  Unit<double> value() const { return {log_mean.value, log_complement.value}; }
};

struct Logit {
  static constexpr std::string_view name = "logit";
  template <class Real>
  static Unit<Real> at(const Real& eta) {
    if constexpr (std::is_same_v<Real, double>) {
      const double tail = std::log1p(std::exp(-std::abs(eta)));
      return {std::min(eta, 0.0) - tail, -std::max(eta, 0.0) - tail};
    } else {
      return {-softplus(Real(-eta)), -softplus(eta)};
    }
  }
  static double inverse(const Unit<double>& u) { return u.log_mean - u.log_complement; }
  static UnitCurve curve_at(double eta) {
    const double e = std::exp(-std::abs(eta));
    const double tail = std::log1p(e), larger = 1 / (1 + e), smaller = e * larger;
    const double p = eta > 0 ? larger : smaller, q = eta > 0 ? smaller : larger;
    const double d2 = -p * q, d3 = p * q * (p - q);
    return {{std::min(eta, 0.0) - tail, q, d2, d3}, {-std::max(eta, 0.0) - tail, -p, d2, d3}};
  }
};
struct Probit {
  static constexpr std::string_view name = "probit";
  template <class Real>
  static Unit<Real> at(const Real& eta) {
    return {log_ndtr(eta), log_ndtr(Real(-eta))};
  }
  static double inverse(const Unit<double>& u) {
    return u.log_mean < u.log_complement ? numeric::ndtri(std::exp(u.log_mean))
                                         : -numeric::ndtri(std::exp(u.log_complement));
  }
  static UnitCurve curve_at(double eta) {
    return {curve(numeric::log_ndtr_derivs, eta), curve(numeric::log_ndtr_derivs, -eta, -1)};
  }
};
struct Cloglog {
  static constexpr std::string_view name = "cloglog";
  template <class Real>
  static Unit<Real> at(const Real& eta) {
    using std::exp;
    return {log_cloglog(eta), -exp(eta)};
  }
  static double inverse(const Unit<double>& u) { return std::log(-u.log_complement); }
  static UnitCurve curve_at(double eta) {
    // Finite, so that it times no failures at all is 0.
    const double e = std::min(std::exp(eta), std::numeric_limits<double>::max());
    return {curve(numeric::log_cloglog_derivs, eta), {-e, -e, -e, -e}};
  }
};

}  // namespace ggpm::internal::links
