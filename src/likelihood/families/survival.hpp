#pragma once

#include "likelihood/families/family.hpp"

namespace ggpm::internal::families {

// Times whose logarithm is eta plus noise, so that lambda = e^eta scales them:
// x = (log t - eta)/scale, and t has the density e^log_noise(x)/(scale t). log_survival and log_cdf
// are of x, too.

// S(t) = exp(-(t/lambda)^(1/phi)): the hazard rises for phi < 1 and falls for phi > 1.
struct Weibull {
  static constexpr std::string_view name = "weibull";
  static constexpr std::string_view formula = "x - e^x - log(phi y),  x = (log y - eta)/phi";
  static constexpr Domain domain = Domain::positive;
  static constexpr std::array dispersions = {
      Dispersion{"1/shape; 1 is exponential, below 1 the hazard rises"}};
  using Links = LinkList<links::Log>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 40}};
  static constexpr bool log_concave = true;

  template <class Real>
  static Real scale(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real standardized(const Real& eta, const Real& phi, double t) {
    return (std::log(t) - eta) / phi;
  }
  template <class Real>
  static Real log_noise(const Real& x) {
    return -excess(x) - 1;
  }
  template <class Real>
  static Real log_density(const Real& eta, const Real& phi, const Row& row) {
    using std::log;
    return log_noise(standardized(eta, phi, row.y)) - log(phi) - std::log(row.y);
  }
  template <class Real>
  static Real log_survival(const Real& x) {
    using std::exp;
    return -exp(x);
  }
  template <class Real>
  static Real log_cdf(const Real& x) {
    return numeric::log_cloglog(x);
  }

  // x = 0. A search would not come back from an e^x that is infinite.
  static double exact_coordinate(double y, double /*phi*/) { return std::log(y); }
  template <class Real>
  static Real canonical_coordinate(double y, const Real& /*phi*/) {
    return Real(std::log(y));
  }

  static double mean(double eta, double phi, const Row&) { return std::exp(eta + lgamma1p(phi)); }
  static double variance(double eta, double phi, const Row&) {
    const double first = lgamma1p(phi);
    return std::exp(2 * (eta + first)) * std::expm1(lgamma1p(2 * phi) - 2 * first);
  }
  static double mode(double eta, double phi, const Row&) {
    return phi < 1 ? std::exp(eta + phi * std::log1p(-phi)) : 0;
  }
  static double cdf(double eta, double phi, const Row&, double y) {
    return y <= 0 ? 0 : -std::expm1(-std::exp(standardized(eta, phi, y)));
  }
  static double quantile(double eta, double phi, const Row&, double p) {
    return std::exp(eta + phi * std::log(-std::log1p(-p)));
  }
  static double information(double, double phi, const Row&) { return 1 / (phi * phi); }
};

// Times without memory, of mean e^eta.
struct Exponential : Weibull {
  static constexpr std::string_view name = "exponential";
  static constexpr std::string_view formula = "-y e^-eta - eta";
  static constexpr std::array<Dispersion, 0> dispersions{};
  static constexpr std::array candidates = {FamilyCandidate{"log", 5}};
};

// S(t) = 1/(1 + (t/lambda)^(1/phi)): heavier tails, a hazard that rises and falls.
struct LogLogistic {
  static constexpr std::string_view name = "log-logistic";
  static constexpr std::string_view formula =
      "x - 2 log(1 + e^x) - log(phi y),  x = (log y - eta)/phi";
  static constexpr Domain domain = Domain::positive;
  static constexpr std::array dispersions = {Dispersion{.meaning = "scale of log y", .start = 0.5}};
  using Links = LinkList<links::Log>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 60}};
  static constexpr bool log_concave = true;

  template <class Real>
  static Real scale(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real standardized(const Real& eta, const Real& phi, double t) {
    return (std::log(t) - eta) / phi;
  }
  template <class Real>
  static Real log_noise(const Real& x) {
    return -softplus(x) - softplus(Real(-x));
  }
  template <class Real>
  static Real log_density(const Real& eta, const Real& phi, const Row& row) {
    using std::log;
    return log_noise(standardized(eta, phi, row.y)) - log(phi) - std::log(row.y);
  }
  template <class Real>
  static Real log_survival(const Real& x) {
    return -softplus(x);
  }
  template <class Real>
  static Real log_cdf(const Real& x) {
    return -softplus(Real(-x));
  }

  // Moments exist for phi < 1 and phi < 1/2.
  static double mean(double eta, double phi, const Row&) {
    return phi < 1 ? std::exp(eta) * ratio(phi) : std::numeric_limits<double>::quiet_NaN();
  }
  static double variance(double eta, double phi, const Row&) {
    if (!(phi < 0.5)) return std::numeric_limits<double>::quiet_NaN();
    const double first = ratio(phi);
    return std::exp(2 * eta) * (ratio(2 * phi) - first * first);
  }
  static double mode(double eta, double phi, const Row&) {
    return phi < 1 ? std::exp(eta + phi * (std::log1p(-phi) - std::log1p(phi))) : 0;
  }
  static double cdf(double eta, double phi, const Row&, double y) {
    return y <= 0 ? 0 : 1 / (1 + std::exp(-standardized(eta, phi, y)));
  }
  static double quantile(double eta, double phi, const Row&, double p) {
    return std::exp(eta + phi * (std::log(p) - std::log1p(-p)));
  }
  static double information(double, double phi, const Row&) { return 1 / (3 * phi * phi); }

 private:
  static double ratio(double phi) {  // pi phi/sin(pi phi)
    const double angle = boost::math::constants::pi<double>() * phi;
    return angle < 1e-8 ? 1 : angle / std::sin(angle);
  }
};

// log t ~ N(eta, phi).
struct LogNormal : NormalNoise {
  static constexpr std::string_view name = "log-normal";
  static constexpr std::string_view formula = "-(log y - eta)^2/(2 phi) - log(2 pi phi)/2 - log y";
  static constexpr Domain domain = Domain::positive;
  static constexpr std::array dispersions = {Dispersion{"variance of log y"}};
  using Links = LinkList<links::Log>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 15}};
  static constexpr bool log_concave = true;

  template <class Real>
  static Real scale(const Real& phi) {
    using std::sqrt;
    return sqrt(phi);
  }
  template <class Real>
  static Real standardized(const Real& eta, const Real& phi, double t) {
    return (std::log(t) - eta) / scale(phi);
  }
  template <class Real>
  static Real log_density(const Real& eta, const Real& phi, const Row& row) {
    using std::log;
    const double log_y = std::log(row.y);
    return -((log_y - eta) * (log_y - eta) / phi + kLog2Pi + log(phi)) / 2 - log_y;
  }
  static double mean(double eta, double phi, const Row&) { return std::exp(eta + phi / 2); }
  static double variance(double eta, double phi, const Row&) {
    return std::exp(2 * eta + phi) * std::expm1(phi);
  }
  static double mode(double eta, double phi, const Row&) { return std::exp(eta - phi); }
  static double cdf(double eta, double phi, const Row&, double y) {
    return y <= 0 ? 0 : std::erfc(-standardized(eta, phi, y) / std::sqrt(2.0)) / 2;
  }
  static double quantile(double eta, double phi, const Row&, double p) {
    return std::exp(eta + std::sqrt(phi) * numeric::ndtri(p));
  }
  static double information(double, double phi, const Row&) { return 1 / phi; }
};

}  // namespace ggpm::internal::families
