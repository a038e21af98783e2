#pragma once

#include "likelihood/families/family.hpp"
#include "numeric/incomplete_gamma.hpp"

namespace ggpm::internal::families {

// Positive outputs with mean mu and shape 1/phi, so variance phi mu^2.
//   log p(y | theta) = (y theta + log(-theta))/phi + c,   theta = -1/mu
struct GammaShape {
  static constexpr std::string_view name = "gamma-shape";
  static constexpr std::array dispersions = {Dispersion{"1/shape"}};
  static constexpr std::string_view formula =
      "(y theta + log(-theta))/phi + (1/phi - 1) log y - log(phi)/phi - lgamma(1/phi)";
  static constexpr Domain domain = Domain::positive;
  using Links = LinkList<links::Log, links::Softplus>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 10}};
  static constexpr bool log_concave = true;

  template <class Real>
  static Real theta(const Real& log_mean, const Real& /*phi*/) {
    using std::exp;
    return -exp(-log_mean);
  }
  template <class Real>
  static Real a(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real b(const Real& theta, const Real& /*phi*/) {
    using std::log;
    return -log(-theta);
  }
  template <class Real>
  static Real c(const Real& phi, const Row& row) {
    using std::log;
    const Real shape = 1 / phi;
    return (shape - 1) * std::log(row.y) + shape * log(shape) - log_gamma(shape);
  }
  static double T(const Row& row) { return row.y; }

  // Log density at y = mu, without -log y:  shape log shape - shape - lgamma(shape).
  template <class Real>
  static Real saturated(const Real& phi) {
    using std::log;
    const Real shape = 1 / phi;
    if (root(shape) < 1) return shape * log(shape) - shape - log_gamma(shape);
    return (log(shape) - kLog2Pi) / 2 - stirling(shape);
  }

  struct AtPhi {
    double phi, constant, slope;  // saturated and its derivative
    explicit AtPhi(double dispersion_) : phi(dispersion_) {
      const auto s = saturated(numeric::ad::make_fvar<double, 1>(phi));
      constant = s.derivative(0);
      slope = s.derivative(1);
    }
  };
  struct AtRow : AtPhi {
    double log_y;
    AtRow(const AtPhi& at_phi, const Row& row) : AtPhi(at_phi), log_y(std::log(row.y)) {
      constant -= log_y;
    }
    double value(double log_mean) const { return constant - excess(log_y - log_mean) / phi; }
    double dphi(double log_mean) const { return slope + excess(log_y - log_mean) / (phi * phi); }
    DensityInMean all(double log_mean) const {
      const double x = log_y - log_mean;
      const double scaled = excess(x) / phi;
      const double d1 = std::expm1(x) / phi, d3 = std::exp(x) / phi;
      return {constant - scaled, slope + scaled / phi, {d1, -d3, d3, -d1 / phi, d3 / phi}};
    }
  };

  // log mu ~ N(mean, variance): E excess(x) = excess(x + v/2) + v/2.
  static Expected expected(double log_mean, double v, const AtPhi& at_phi, const Row& row) {
    const double phi = at_phi.phi, log_y = std::log(row.y);
    const double x = log_y - log_mean + v / 2;
    const double e = excess(x) + v / 2;
    return {.value = -e / phi + at_phi.constant - log_y,
            .d1 = std::expm1(x) / phi,
            .d2 = -std::exp(x) / phi,
            .dphi = {e / (phi * phi) + at_phi.slope}};
  }

  static double exact_coordinate(double y, double /*phi*/) { return std::log(y); }
  template <class Real>
  static Real canonical_coordinate(double y, const Real& /*phi*/) {
    return Real(std::log(y));
  }

  static double mean(double log_mean, double, const Row&) { return std::exp(log_mean); }
  static double variance(double log_mean, double phi, const Row&) {
    return phi * std::exp(2 * log_mean);
  }
  static double mode(double log_mean, double phi, const Row&) {
    return phi < 1 ? (1 - phi) * std::exp(log_mean) : 0;
  }
  static double cdf(double log_mean, double phi, const Row&, double y) {
    if (y <= 0) return 0;
    return numeric::gamma_p(1 / phi, std::exp(std::log(y) - log_mean) / phi);
  }
  static double quantile(double log_mean, double phi, const Row&, double p) {
    return std::exp(log_mean) * phi * numeric::gamma_p_inverse(1 / phi, p);
  }
};

}  // namespace ggpm::internal::families
