#pragma once

#include "likelihood/families/family.hpp"
#include "numeric/incomplete_beta.hpp"

namespace ggpm::internal::families {

// Fractions strictly between 0 and 1 with mean mu and precision 1/phi.
//   log p(y | theta) = (theta logit y)/phi - lgamma(theta/phi) - lgamma((1-theta)/phi) + c
struct Beta {
  static constexpr std::string_view name = "beta";
  static constexpr std::array dispersions = {
      Dispersion{.meaning = "1/precision; variance = mean (1-mean) phi/(1+phi)", .start = 0.1}};
  static constexpr std::string_view formula =
      "(theta logit y)/phi - lgamma(theta/phi) - lgamma((1-theta)/phi) + lgamma(1/phi) + "
      "(1/phi - 1) log(1-y) - log y";
  static constexpr Domain domain = Domain::proportion;
  using Links = LinkList<links::Logit, links::Probit, links::Cloglog>;
  static constexpr std::array candidates = {FamilyCandidate{"logit", 10},
                                            FamilyCandidate{"probit", 50, false}};
  static constexpr bool log_concave = false;

  template <class Real>
  static Real theta(const Unit<Real>& u, const Real& /*phi*/) {
    using std::exp;
    return exp(u.log_mean);
  }
  template <class Real>
  static Real a(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real b(const Real& theta, const Real& phi) {
    return phi * (log_gamma(Real(theta / phi)) + log_gamma(Real((1 - theta) / phi)));
  }
  template <class Real>
  static Real c(const Real& phi, const Row& row) {
    const Real n = 1 / phi;
    return log_gamma(n) + (n - 1) * std::log1p(-row.y) - std::log(row.y);
  }
  static double T(const Row& row) { return std::log(row.y) - std::log1p(-row.y); }

  struct AtPhi {
    double phi, n, log_phi, lgamma_n, stirling_n, stirling_slope_n, psi_n;
    explicit AtPhi(double dispersion_) : phi(dispersion_), n(1 / phi), log_phi(std::log(phi)) {
      numeric::Derivs d{};
      numeric::lgamma1p_derivs(n, 1, d);
      lgamma_n = d[0];
      psi_n = d[1] - phi;
      numeric::stirling_derivs(n, 1, d);
      stirling_n = d[0];
      stirling_slope_n = d[1];
    }
  };
  struct AtRow : AtPhi {
    double log_y, log_z;
    AtRow(const AtPhi& at_phi, const Row& row)
        : AtPhi(at_phi), log_y(std::log(row.y)), log_z(std::log1p(-row.y)) {}
    bool large(const Unit<double>& u) const {
      return std::min(u.log_mean, u.log_complement) >= log_phi;
    }
    double value(const Unit<double>& u) const {
      const bool big = large(u);
      const ShapeTerm a(u.log_mean - log_phi, big), b(u.log_complement - log_phi, big);
      return value(a, b, big, big ? divergence(a, b, u) : 0);
    }
    // Of mu from y, over phi.
    double divergence(const ShapeTerm& a, const ShapeTerm& b, const Unit<double>& u) const {
      return a.shape * excess(log_y - u.log_mean) + b.shape * excess(log_z - u.log_complement);
    }
    double value(const ShapeTerm& a, const ShapeTerm& b, bool big, double far) const {
      if (!big) {
        return a.shape * log_y + b.shape * log_z + a.log_shape + b.log_shape + log_phi + lgamma_n -
               a.gamma - b.gamma - log_y - log_z;
      }
      return -far + (a.log_shape + b.log_shape + log_phi - kLog2Pi) / 2 + stirling_n - a.gamma -
             b.gamma - log_y - log_z;
    }
    double dphi(const Unit<double>& u) const { return all(u).dphi; }
    // With large shapes both slopes leave out a term, a log n and b log n: (log mu)' a +
    // (log(1-mu))' b = 0, and so are its derivatives.
    DensityInFraction all(const Unit<double>& u) const {
      const bool big = large(u);
      const double x = log_y - u.log_mean, z = log_z - u.log_complement;
      ShapeTerm a(u.log_mean - log_phi, x, log_y, big, false);
      ShapeTerm b(u.log_complement - log_phi, z, log_z, big, false);
      const double far = big ? divergence(a, b, u) : 0;
      const double drift =
          big ? far + a.shape * a.gamma_slope + b.shape * b.gamma_slope - 0.5 - n * stirling_slope_n
              : -(a.partials.d1 + b.partials.d1 + n * psi_n);
      for (Partials* partials : {&a.partials, &b.partials}) {
        partials->d1_phi *= n;
        partials->d2_phi *= n;
      }
      return {value(a, b, big, far), drift * n, a.partials, b.partials};
    }
  };

  // psi(mu/phi) - psi((1-mu)/phi) = logit y, in s = logit mu. The left side increases with s and is
  // steeper than s itself, so the root lies between 0 and logit y; Newton inside that bracket, with
  // bisections while it is far (near a pole its steps are of length 1).                (errata 2.2)
  static Unit<double> exact_coordinate(double y, double phi) {
    const double target = std::log(y) - std::log1p(-y);
    double low = std::min(0.0, target);
    double high = std::max(0.0, target);
    double s = (low + high) / 2;
    for (int i = 0; i < 200; ++i) {
      const Unit<double> u = links::Logit::at(s);
      const double p = std::exp(u.log_mean) / phi;
      const double q = std::exp(u.log_complement) / phi;
      numeric::Derivs dp{}, dq{};
      numeric::lgamma1p_derivs(p, 2, dp);
      numeric::lgamma1p_derivs(q, 2, dq);
      const double gap = (dp[1] - 1 / p) - (dq[1] - 1 / q) - target;
      (gap > 0 ? high : low) = s;
      const double slope = (dp[2] + 1 / (p * p) + dq[2] + 1 / (q * q)) * p * q * phi;
      double next = s - gap / slope;
      const bool far = std::abs(gap) > 1 && i % 2 == 0;
      if (far || !(next > low && next < high)) next = (low + high) / 2;
      if (std::abs(next - s) <= 1e-15 * (1 + std::abs(s))) break;
      s = next;
    }
    return links::Logit::at(s);
  }
  template <class Real>
  static Unit<Real> canonical_coordinate(double y, const Real& /*phi*/) {
    return {Real(std::log(y)), Real(std::log1p(-y))};
  }

  static double mean(const Unit<double>& u, double, const Row&) { return std::exp(u.log_mean); }
  static double variance(const Unit<double>& u, double phi, const Row&) {
    return std::exp(u.log_mean + u.log_complement) * phi / (1 + phi);
  }
  // Highest interior maximum; none (NaN) unless both shapes exceed 1.
  static double mode(const Unit<double>& u, double phi, const Row&) {
    const double theta = std::exp(u.log_mean);
    const double complement = std::exp(u.log_complement);
    if (phi >= std::min(theta, complement)) return std::numeric_limits<double>::quiet_NaN();
    return (theta - phi) / (1 - 2 * phi);
  }
  static double cdf(const Unit<double>& u, double phi, const Row&, double y) {
    if (y <= 0) return 0;
    if (y >= 1) return 1;
    return numeric::beta_p(std::exp(u.log_mean) / phi, std::exp(u.log_complement) / phi, y, 1 - y);
  }
  static double quantile(const Unit<double>& u, double phi, const Row&, double p) {
    return numeric::beta_p_inverse(std::exp(u.log_mean) / phi, std::exp(u.log_complement) / phi, p);
  }
};

}  // namespace ggpm::internal::families
