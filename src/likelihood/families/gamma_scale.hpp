#pragma once

#include "likelihood/families/family.hpp"
#include "numeric/incomplete_gamma.hpp"

namespace ggpm::internal::families {

// Positive outputs with mean theta = mu and scale phi: shape mu/phi, variance phi mu. (errata 1.3)
//   log p(y | theta) = (theta log y - theta log phi)/phi - log Gamma(theta/phi) - y/phi - log y
struct GammaScale {
  static constexpr std::string_view name = "gamma-scale";
  static constexpr std::array dispersions = {Dispersion{"scale; shape = mean/scale"}};
  static constexpr std::string_view formula =
      "(theta log y - theta log phi)/phi - lgamma(theta/phi) - y/phi - log y";
  static constexpr Domain domain = Domain::positive;
  using Links = LinkList<links::Log, links::Softplus>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 20}};
  static constexpr bool log_concave = false;

  template <class Real>
  static Real theta(const Real& log_mean, const Real& /*phi*/) {
    using std::exp;
    return exp(log_mean);
  }
  template <class Real>
  static Real a(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real b(const Real& theta, const Real& phi) {
    using std::log;
    return theta * log(phi) + phi * log_gamma(Real(theta / phi));
  }
  template <class Real>
  static Real c(const Real& phi, const Row& row) {
    return -row.y / phi - std::log(row.y);
  }
  static double T(const Row& row) { return std::log(row.y); }

  struct AtRow {
    double phi, y, log_y, log_phi;
    AtRow(double dispersion_, const Row& row)
        : phi(dispersion_), y(row.y), log_y(std::log(y)), log_phi(std::log(phi)) {}
    bool large(double log_mean) const { return log_mean >= log_phi; }
    double value(double log_mean) const {
      return value(ShapeTerm(log_mean - log_phi, large(log_mean)), log_mean);
    }
    double value(const ShapeTerm& a, double log_mean) const {
      const double tail = a.log_shape - log_y - a.gamma;
      if (!large(log_mean)) return a.shape * (log_y - log_phi) - y / phi + tail;
      return -a.shape * excess(log_y - log_mean) - (kLog2Pi + a.log_shape) / 2 + tail;
    }
    double dphi(double log_mean) const { return all(log_mean).dphi; }
    // l' = shape (log(y/phi) - psi(shape)); at a fixed mean the shape falls with phi.
    DensityInMean all(double log_mean) const {
      const double x = log_y - log_mean;
      ShapeTerm a(log_mean - log_phi, x, log_y - log_phi, large(log_mean), true);
      a.partials.d1_phi /= phi;
      a.partials.d2_phi /= phi;
      return {value(a, log_mean), (a.shape * std::expm1(x) - a.partials.d1) / phi, a.partials};
    }
  };

  // psi(mu/phi) = log(y/phi)                                                    (errata 2.2)
  static double exact_coordinate(double y, double phi) {
    const double log_rate = std::log(y) - std::log(phi);
    if (log_rate > 40) return std::log(y);  // psi is the logarithm there; e^log_rate may overflow
    return std::log(phi) + std::log(numeric::digamma_inverse(log_rate));
  }
  template <class Real>
  static Real canonical_coordinate(double y, const Real& /*phi*/) {
    return Real(std::log(y));
  }

  static double mean(double log_mean, double, const Row&) { return std::exp(log_mean); }
  static double variance(double log_mean, double phi, const Row&) {
    return phi * std::exp(log_mean);
  }
  static double mode(double log_mean, double phi, const Row&) {
    return std::max(0.0, std::exp(log_mean) - phi);
  }
  static double cdf(double log_mean, double phi, const Row&, double y) {
    if (y <= 0) return 0;
    return numeric::gamma_p(std::exp(log_mean) / phi, y / phi);
  }
  static double quantile(double log_mean, double phi, const Row&, double p) {
    return phi * numeric::gamma_p_inverse(std::exp(log_mean) / phi, p);
  }
};

}  // namespace ggpm::internal::families
