#pragma once

#include "likelihood/families/family.hpp"
#include "numeric/incomplete_gamma.hpp"

namespace ggpm::internal::families {

// Counts with mean mu.
//   log p(y | theta) = y theta - e^theta - log y!,   theta = log mu
struct Poisson {
  static constexpr std::string_view name = "poisson";
  static constexpr std::string_view formula = "y theta - e^theta - log y!";
  static constexpr Domain domain = Domain::count;
  static constexpr Scatter scatter = Scatter::of_mean;
  using Links = LinkList<links::Log, links::Linear>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 10},
                                            FamilyCandidate{"linear", 20}};
  static constexpr bool log_concave = true;
  static constexpr bool log_concave_with_softplus = true;
  static constexpr bool minus_mean_at_zero = true;  // log p(0) = -mu

  template <class Real>
  static Real theta(const Real& log_mean, const Real& /*phi*/) {
    return log_mean;
  }
  template <class Real>
  static Real a(const Real& /*phi*/) {
    return Real(1);
  }
  template <class Real>
  static Real b(const Real& theta, const Real& /*phi*/) {
    using std::exp;
    return exp(theta);
  }
  template <class Real>
  static Real c(const Real& /*phi*/, const Row& row) {
    return -lgamma1p(Real(row.y));
  }
  static double T(const Row& row) { return row.y; }

  struct AtRow {
    double y, log_y, constant = 0;
    AtRow(double /*phi*/, const Row& row) : y(row.y), log_y(std::log(y)) {
      if (y >= 1)
        constant = -(kLog2Pi + log_y) / 2 - stirling(y);
      else if (y > 0)
        constant = -lgamma1p(y);
    }
    double value(double log_mean) const {
      if (y < 1) return constant + y * log_mean - std::exp(log_mean);
      return constant - y * excess(log_mean - log_y);
    }
    double dphi(double) const { return 0; }
    DensityInMean all(double log_mean) const {
      const double mean = std::exp(log_mean);
      const double d1 = y < 1 ? y - mean : -y * std::expm1(log_mean - log_y);
      return {value(log_mean), 0, {.d1 = d1, .d2 = -mean, .d3 = -mean}};
    }
  };

  // log mu ~ N(mean, variance): E mu = e^{mean + v/2}, so E log p = log p at the shifted mean - y
  // v/2.
  static Expected expected(double log_mean, double v, double /*phi*/, const Row& row) {
    const double x = log_mean + v / 2;
    const double mu = std::exp(x);
    return {.value = numeric::log_poisson(row.y, x) - row.y * v / 2,
            .d1 = row.y > 0 ? -row.y * std::expm1(x - std::log(row.y)) : -mu,
            .d2 = -mu,
            .dphi = {}};
  }

  static double exact_coordinate(double y, double /*phi*/) { return std::log(y); }
  template <class Real>
  static Real canonical_coordinate(double y, const Real& /*phi*/) {
    return Real(std::log(y));
  }

  static double mean(double log_mean, double, const Row&) { return std::exp(log_mean); }
  static double variance(double log_mean, double, const Row&) { return std::exp(log_mean); }
  static double mode(double log_mean, double, const Row&) { return std::floor(std::exp(log_mean)); }
  static double cdf(double log_mean, double, const Row&, double y) {
    if (y < 0) return 0;
    const double mu = std::exp(log_mean);
    if (mu == 0) return 1;
    if (std::isinf(mu)) return 0;
    return numeric::gamma_q(std::floor(y) + 1, mu);
  }
};

}  // namespace ggpm::internal::families
