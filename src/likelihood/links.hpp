// Links. A link says where the mean is for a latent eta, in the coordinate that keeps its digits:
// mu itself for real outputs, log mu for positive ones, (log mu, log(1-mu)) for fractions.
// `inverse` is the paper's g; both are templates over the number type.
#pragma once

#include <string_view>

#include "numeric/special.hpp"

namespace ggpm::links {

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

// --- real mean: mu(eta)
// ---------------------------------------------------------------------------
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
};
struct RealLog {
  static constexpr std::string_view name = "log";
  static constexpr bool concave_for(std::string_view /*family*/) { return false; }
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
};
struct RealSoftplus {
  static constexpr std::string_view name = "softplus";
  static constexpr bool concave_for(std::string_view /*family*/) { return false; }
  template <class Real>
  static Real at(const Real& eta) {
    return softplus(eta);
  }
  template <class Real>
  static Real inverse(const Real& mean) {
    return mean + log1mexp(Real(-mean));
  }
};

// --- positive mean: log mu(eta) = slope * eta + shift, or log softplus(eta)
// -----------------------
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
};
// The paper's inverse Gaussian, theta = -e^-eta, so mu = e^(eta/2)/sqrt(2).      (errata 2.9)
struct LogTwiceSquare {
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
};
// The paper's linearised mean.                                        (eqn:poislin:theta)
struct Softplus {
  static constexpr std::string_view name = "softplus";
  // A log-concave family stays so only if -mu(eta) alone bends the right way.          (errata 5)
  static constexpr bool concave_for(std::string_view family) { return family == "poisson"; }
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
};
struct Linear : Softplus {  // its name for counts
  static constexpr std::string_view name = "linear";
};

// --- fractions: (log mu, log(1 - mu))
// -------------------------------------------------------------
template <class Real>
struct Unit {
  Real log_mean;
  Real log_rest;
};

struct Logit {
  static constexpr std::string_view name = "logit";
  template <class Real>
  static Unit<Real> at(const Real& eta) {
    return {-softplus(Real(-eta)), -softplus(eta)};
  }
  static double inverse(const Unit<double>& u) { return u.log_mean - u.log_rest; }
};
struct Probit {
  static constexpr std::string_view name = "probit";
  template <class Real>
  static Unit<Real> at(const Real& eta) {
    return {log_ndtr(eta), log_ndtr(Real(-eta))};
  }
  static double inverse(const Unit<double>& u) {
    return u.log_mean < u.log_rest ? numeric::ndtri(std::exp(u.log_mean))
                                   : -numeric::ndtri(std::exp(u.log_rest));
  }
};
struct Cloglog {
  static constexpr std::string_view name = "cloglog";
  template <class Real>
  static Unit<Real> at(const Real& eta) {
    using std::exp;
    return {log_cloglog(eta), -exp(eta)};
  }
  static double inverse(const Unit<double>& u) { return std::log(-u.log_rest); }
};

}  // namespace ggpm::links
