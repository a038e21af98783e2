#pragma once

#include <boost/math/tools/roots.hpp>

#include "likelihood/families/family.hpp"

namespace ggpm::internal::families {

// Positive outputs with mean mu and variance phi mu^3.
//   log p(y | theta) = (y theta + sqrt(-2 theta))/phi - 1/(2 y phi) - log(2 pi phi y^3)/2
struct InverseGaussian {
  static constexpr std::string_view name = "inverse-gaussian";
  static constexpr std::array dispersions = {Dispersion{"1/lambda"}};
  static constexpr std::string_view formula =
      "(y theta + sqrt(-2 theta))/phi - 1/(2 y phi) - log(2 pi phi y^3)/2";
  static constexpr Domain domain = Domain::positive;
  using Links = LinkList<links::LogSquare, links::Log, links::Softplus>;
  static constexpr std::array candidates = {FamilyCandidate{"log-square", 30}};
  static constexpr bool log_concave = false;

  template <class Real>
  static Real theta(const Real& log_mean, const Real& /*phi*/) {
    using std::exp;
    return -exp(-2 * log_mean) / 2;
  }
  template <class Real>
  static Real a(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real b(const Real& theta, const Real& /*phi*/) {
    using std::sqrt;
    return -sqrt(-2 * theta);
  }
  template <class Real>
  static Real c(const Real& phi, const Row& row) {
    using std::log;
    return -(kLog2Pi + log(phi) + 3 * std::log(row.y)) / 2 - 1 / (2 * row.y * phi);
  }
  static double T(const Row& row) { return row.y; }

  struct AtRow {
    double phi, log_y, scale, constant;
    AtRow(double dispersion_, const Row& row)
        : phi(dispersion_),
          log_y(std::log(row.y)),
          scale(1 / (phi * row.y)),
          constant(-(kLog2Pi + std::log(phi) + 3 * log_y) / 2) {}
    double value(double log_mean) const {
      const double d = std::expm1(log_y - log_mean);
      return constant - d * (d * scale) / 2;  // d * d may overflow where this does not
    }
    double dphi(double log_mean) const {
      const double d = std::expm1(log_y - log_mean);
      return (d * (d * scale) - 1) / (2 * phi);
    }
    DensityInMean all(double log_mean) const {
      const double d = std::expm1(log_y - log_mean);
      const double e = std::exp(log_y - log_mean);
      const double d1 = d * (e * scale), d2 = -e * ((e + d) * scale);
      return {constant - d * (d * scale) / 2,
              (d * (d * scale) - 1) / (2 * phi),
              {d1, d2, e * ((4 * e - 1) * scale), -d1 / phi, -d2 / phi}};
    }
  };

  // log mu ~ N(mean, variance): E (e^x - 1)^2 = (e^A - 1)^2 + e^{2A}(e^v - 1),  A = x + v/2.
  static Expected expected(double log_mean, double v, double phi, const Row& row) {
    const double log_y = std::log(row.y);
    const double A = log_y - log_mean + v / 2;
    const double e1 = std::exp(A);
    const double e2 = std::exp(2 * A + v);
    const double square = std::expm1(A) * std::expm1(A) + std::exp(2 * A) * std::expm1(v);
    const double scale = 1 / (phi * row.y);
    return {.value = -(square * scale + kLog2Pi + std::log(phi) + 3 * log_y) / 2,
            .d1 = (std::exp(2 * A) * std::expm1(v) + e1 * std::expm1(A)) * scale,
            .d2 = -(2 * e2 - e1) * scale,
            .dphi = {(square * scale - 1) / (2 * phi)}};
  }

  static double exact_coordinate(double y, double /*phi*/) { return std::log(y); }
  template <class Real>
  static Real canonical_coordinate(double y, const Real& /*phi*/) {
    return Real(std::log(y));
  }

  static double mean(double log_mean, double, const Row&) { return std::exp(log_mean); }
  static double variance(double log_mean, double phi, const Row&) {
    return phi * std::exp(3 * log_mean);
  }
  static double mode(double log_mean, double phi, const Row&) {
    const double mu = std::exp(log_mean);
    const double k = 1.5 * mu * phi;
    return mu / (std::sqrt(1 + k * k) + k);
  }
  static double cdf(double log_mean, double phi, const Row&, double y) {
    if (y <= 0) return 0;
    const double root_y = 1 / std::sqrt(phi * y);
    const double ratio = std::exp(std::log(y) - log_mean);  // y/mu
    // e^{2/(mu phi)} Phi(-z) is phi(w) over the ratio of density and Phi at -z: nothing large is left that would cancel.
    const double w = root_y * (1 - ratio);
    numeric::Derivs at_z{};
    numeric::log_ndtr_derivs(-root_y * (1 + ratio), 1, at_z);
    return std::min(1.0,
                    std::erfc(w / std::sqrt(2.0)) / 2 + std::exp(-(w * w + kLog2Pi) / 2) / at_z[1]);
  }
  static double quantile(double log_mean, double phi, const Row& row, double p) {
    const auto f = [&](double log_y) { return cdf(log_mean, phi, row, std::exp(log_y)) - p; };
    const double center = log_of_double(log_mean);
    double low = center - 1, high = center + 1;
    while (f(low) > 0 && low > -kLargestLog) low -= 2 * (center - low);
    while (f(high) < 0 && high < kLargestLog) high += 2 * (high - center);
    if (std::isnan(f(low)) || std::isnan(f(high))) return std::numeric_limits<double>::quiet_NaN();
    if (f(low) > 0 || f(high) < 0) return std::exp(f(low) > 0 ? low : high);
    std::uintmax_t steps = 200;
    const auto bracket = boost::math::tools::toms748_solve(
        f, low, high, boost::math::tools::eps_tolerance<double>(50), steps);
    return std::exp((bracket.first + bracket.second) / 2);
  }
};

}  // namespace ggpm::internal::families
