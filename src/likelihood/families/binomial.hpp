#pragma once

#include "likelihood/families/family.hpp"
#include "numeric/incomplete_beta.hpp"

namespace ggpm::internal::families {

// k successes in N trials (row.y = k, row.trials = N); the paper's y is the fraction k/N, phi =
// 1/N.
//   log p = N (k/N theta - log(1 + e^theta)) + log C(N, k),   theta = logit mu       (errata 2.5)
struct Binomial {
  static constexpr std::string_view name = "binomial";
  static constexpr std::string_view formula =
      "N (y theta - log(1 + e^theta)) + log C(N, N y),  y = k/N";
  static constexpr Domain domain = Domain::fraction_of_trials;
  using Links = LinkList<links::Logit, links::Probit, links::Cloglog>;
  static constexpr std::array candidates = {FamilyCandidate{"logit", 10},
                                            FamilyCandidate{"probit", 50, false},
                                            FamilyCandidate{"cloglog", 60, false}};
  static constexpr bool log_concave = true;

  template <class Real>
  static Real theta(const Unit<Real>& u, const Real& /*phi*/) {
    return u.log_mean - u.log_complement;
  }
  // a = 1/N is known for each row, so it is a function of the row here.
  template <class Real>
  static Real a(const Real& /*phi*/, const Row& row) {
    return Real(1 / row.trials);
  }
  template <class Real>
  static Real b(const Real& theta, const Real& /*phi*/) {
    return softplus(theta);
  }
  template <class Real>
  static Real c(const Real& /*phi*/, const Row& row) {
    return lgamma1p(Real(row.trials)) - lgamma1p(Real(row.y)) - lgamma1p(Real(row.trials - row.y));
  }
  static double T(const Row& row) { return row.y / row.trials; }

  // Linear in (log mu, log(1-mu)) apart from constants of the row.
  struct AtRow {
    double k, failures, constant = 0, log_n_k = 0, log_n_failures = 0;
    AtRow(double /*phi*/, const Row& row) : k(row.y), failures(row.trials - row.y) {
      if (k == 0 || failures == 0) return;
      const double n = row.trials;
      log_n_k = std::log(n) - std::log(k);
      log_n_failures = std::log(n) - std::log(failures);
      constant = (std::log(n) - std::log(k) - std::log(failures) - kLog2Pi) / 2 + stirling(n) -
                 stirling(k) - stirling(failures);
    }
    double value(const Unit<double>& u) const {
      if (k == 0) return failures * u.log_complement;
      if (failures == 0) return k * u.log_mean;
      return constant - k * excess(u.log_mean + log_n_k) -
             failures * excess(u.log_complement + log_n_failures);
    }
    double dphi(const Unit<double>&) const { return 0; }
    DensityInFraction all(const Unit<double>& u) const {
      return {value(u), 0, {.d1 = k}, {.d1 = failures}};
    }
  };

  // One trial with a probit link: Phi(z), z = +-m/sqrt(1 + v).                          (errata 5)
  template <class Link>
  static bool tilted(double m, double v, double /*phi*/, const Row& row, Tilted& out) {
    if constexpr (std::is_same_v<Link, links::Probit>) {
      if (row.trials != 1) return false;
      const double sign = row.y > 0 ? 1 : -1;
      const double s = std::sqrt(1 + v);
      numeric::Derivs d{};
      numeric::log_ndtr_derivs(sign * m / s, 2, d);
      out.log_z = d[0];
      out.d1 = sign * d[1] / s;
      out.d2 = d[2] / (1 + v);
      out.mean = m + v * out.d1;
      out.variance = v * (1 + v * out.d2);
      out.dphi = {};
      return true;
    } else {
      return false;
    }
  }

  static double mean(const Unit<double>& u, double, const Row& row) {
    return row.trials * std::exp(u.log_mean);
  }
  static double variance(const Unit<double>& u, double, const Row& row) {
    return row.trials * std::exp(u.log_mean + u.log_complement);
  }
  static double mode(const Unit<double>& u, double, const Row& row) {
    return std::min(row.trials, std::floor((row.trials + 1) * std::exp(u.log_mean)));
  }
  static double cdf(const Unit<double>& u, double, const Row& row, double y) {
    const double k = std::floor(y);
    if (k < 0) return 0;
    if (k >= row.trials) return 1;
    const double p = std::exp(u.log_mean);
    const double q = std::exp(u.log_complement);
    if (p == 0) return 1;
    if (q == 0) return 0;
    return numeric::beta_p(row.trials - k, k + 1, q, p);
  }
};

// One trial. The same formulas; the domain and the name differ.
struct Bernoulli : Binomial {
  static constexpr std::string_view name = "bernoulli";
  static constexpr std::string_view formula = "y theta - log(1 + e^theta)";
  static constexpr Domain domain = Domain::binary;
};

}  // namespace ggpm::internal::families
