#pragma once

#include "likelihood/families/family.hpp"

namespace ggpm::internal::families {

// Real outputs with noise variance phi.
//   log p(y | theta) = (y theta - theta^2/2)/phi - y^2/(2 phi) - log(2 pi phi)/2
struct Gaussian : NormalNoise {
  static constexpr std::string_view name = "gaussian";
  static constexpr std::array dispersions = {Dispersion{"noise variance"}};
  static constexpr std::string_view formula =
      "(y theta - theta^2/2)/phi - y^2/(2 phi) - log(2 pi phi)/2";
  static constexpr Domain domain = Domain::real;
  using Links = LinkList<links::Identity, links::RealLog, links::RealSoftplus>;
  static constexpr std::array candidates = {FamilyCandidate{"identity", 10}};
  static constexpr bool log_concave = true;
  static constexpr bool gaussian_noise = true;  // with the identity link inference is exact

  template <class Real>
  static Real theta(const Real& mean, const Real& /*phi*/) {
    return mean;
  }
  template <class Real>
  static Real a(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real b(const Real& theta, const Real& /*phi*/) {
    return theta * theta / 2;
  }
  template <class Real>
  static Real c(const Real& phi, const Row& row) {
    using std::log;
    return -(kLog2Pi + log(phi) + row.y * row.y / phi) / 2;
  }
  static double T(const Row& row) { return row.y; }

  template <class Real>
  static Real scale(const Real& phi) {
    using std::sqrt;
    return sqrt(phi);
  }
  template <class Real>
  static Real standardized(const Real& mean, const Real& phi, double y) {
    return (y - mean) / scale(phi);
  }

  struct AtRow {
    double phi, y, constant;
    AtRow(double dispersion_, const Row& row)
        : phi(dispersion_), y(row.y), constant(-(std::log(phi) + kLog2Pi) / 2) {}
    double value(double mean) const { return constant - (mean - y) * (mean - y) / (2 * phi); }
    double dphi(double mean) const { return ((mean - y) * (mean - y) / phi - 1) / (2 * phi); }
    DensityInMean all(double mean) const {
      const double d1 = (y - mean) / phi;
      return {value(mean),
              dphi(mean),
              {.d1 = d1, .d2 = -1 / phi, .d1_phi = -d1 / phi, .d2_phi = 1 / (phi * phi)}};
    }
  };

  // Under the identity link everything is Gaussian.
  static Expected expected(double m, double v, double phi, const Row& row) {
    const double d = row.y - m;
    const double square = d * d + v;
    return {.value = -(square / phi + std::log(phi) + kLog2Pi) / 2,
            .d1 = d / phi,
            .d2 = -1 / phi,
            .dphi = {(square / phi - 1) / (2 * phi)}};
  }
  template <class Link>
  static bool tilted(double m, double v, double phi, const Row& row, Tilted& out) {
    if constexpr (std::is_same_v<Link, links::Identity>) {
      const double total = v + phi;
      const double d = row.y - m;
      out.log_z = -(d * d / total + std::log(total) + kLog2Pi) / 2;
      out.d1 = d / total;
      out.d2 = -1 / total;
      out.mean = m + v * out.d1;
      out.variance = v * phi / total;
      const double left = phi * d / total;  // y - tilted mean
      out.dphi = {((left * left + out.variance) / phi - 1) / (2 * phi)};
      return true;
    } else {
      return false;
    }
  }

  static double exact_coordinate(double y, double /*phi*/) { return y; }
  template <class Real>
  static Real canonical_coordinate(double y, const Real& /*phi*/) {
    return Real(y);
  }

  static double mean(double mu, double, const Row&) { return mu; }
  static double variance(double, double phi, const Row&) { return phi; }
  static double mode(double mu, double, const Row&) { return mu; }
  static double cdf(double mu, double phi, const Row&, double y) {
    return std::erfc((mu - y) / std::sqrt(2 * phi)) / 2;
  }
  static double quantile(double mu, double phi, const Row&, double p) {
    return mu + std::sqrt(phi) * numeric::ndtri(p);
  }
};

}  // namespace ggpm::internal::families
