#pragma once

#include "likelihood/families/com_poisson_sum.hpp"
#include "likelihood/families/family.hpp"

namespace ggpm::internal::families {

// Counts of any dispersion: nu = phi < 1 over-, nu > 1 under-dispersed, nu = 1 Poisson.
//   log p(y | theta) = nu (y theta - log y!) - log S(e^theta, nu),   S(mu, nu) = sum_n (mu^n/n!)^nu
// The coordinate is theta = log mu; mu is close to, but not, the mean (errata 1.14).
struct ComPoisson {
  static constexpr std::string_view name = "com-poisson";
  static constexpr std::array dispersions = {
      Dispersion{"nu; below 1 over-, above 1 under-dispersed"}};
  static constexpr std::string_view formula = "nu (y theta - log y!) - log S(e^theta, nu)";
  static constexpr Domain domain = Domain::count;
  using Links = LinkList<links::Log, links::Linear>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 40},
                                            FamilyCandidate{"linear", 50, false}};
  static constexpr bool slow_in_digits = true;  // of multiprecision tests
  static constexpr bool log_concave = true;  // with theta = eta; the linear link is not (errata 5)
  static constexpr bool costly = true;       // a sum for each density

  template <class Real>
  static Real theta(const Real& log_rate, const Real& /*phi*/) {
    return log_rate;
  }
  template <class Real>
  static Real a(const Real& phi) {
    return 1 / phi;
  }
  // log S/nu. The sums give every derivative as a cumulant; the series in (theta, nu) is then
  // composed.
  template <class Real>
  static Real b(const Real& theta, const Real& nu) {
    if constexpr (std::is_same_v<Real, double> || numeric::is_jet<Real>) {
      const double v = root(nu);
      const ComPoissonSum s = com_poisson_sum(root(theta), v, 0);
      const Real t = theta - root(theta);
      const Real p = nu - v;
      const Partials d = partials(s, v);
      return (s.log_sum - t * (d.d1 + t * (d.d2 / 2 + t * (d.d3 / 6))) -
              p * (-s.d_mean + t * (d.d1_phi + t * (d.d2_phi / 2)))) /
             nu;
    } else {  // the textbook sum
      Real sum = 0;
      Real term = 0;
      const double end = 50 + 4 * std::exp(root(theta)) + 60 / root(nu);
      for (double n = 0; n < end; ++n) {
        if (n > 0) term += theta - log(Real(n));
        sum += exp(nu * term);
      }
      return log(sum) / nu;
    }
  }
  template <class Real>
  static Real c(const Real& phi, const Row& row) {
    return -phi * lgamma1p(Real(row.y));
  }
  static double T(const Row& row) { return row.y; }

  static Partials partials(const ComPoissonSum& s, double nu) {
    return {.d1 = -nu * s.mean,
            .d2 = -nu * nu * s.variance,
            .d3 = -nu * nu * nu * s.third,
            .d1_phi = -s.mean - nu * s.n_d,
            .d2_phi = -2 * nu * s.variance - nu * nu * s.nn_d};
  }

  struct AtRow {
    double nu, y;
    // Of the last value(): the same sum gives both.
    mutable double at = std::numeric_limits<double>::quiet_NaN();
    mutable ComPoissonSum sum{};
    AtRow(double dispersion_, const Row& row) : nu(dispersion_), y(row.y) {}
    double value(double theta) const {
      at = theta;
      sum = com_poisson_sum(theta, nu, y);
      return -sum.log_sum;
    }
    double dphi(double theta) const {
      if (at != theta) value(theta);
      return -sum.d_mean;
    }
    DensityInMean all(double theta) const {
      const ComPoissonSum s = com_poisson_sum(theta, nu, y);
      return {-s.log_sum, -s.d_mean, partials(s, nu)};
    }
  };

  // E y = target: Newton on the increasing convex function E y of theta, from the printed link.
  static double exact_coordinate(double target, double nu) {
    double theta = std::log(std::max(target - 1 / (2 * nu) + 0.5, target / (1 + 1 / nu)));
    for (int i = 0; i < 100; ++i) {
      const ComPoissonSum s = com_poisson_sum(theta, nu, target);
      const double step = -s.mean / (nu * s.variance);
      const double bounded = std::clamp(step, -2.0, 2.0);
      theta += bounded;
      if (std::abs(bounded) < 1e-14 * (1 + std::abs(theta))) break;
    }
    return theta;
  }
  template <class Real>
  static Real canonical_coordinate(double y, const Real& nu) {
    using std::log;
    return log(Real(y - 1 / (2 * nu) + 0.5));
  }

  // The variance is about mean/nu. Below 1/12, that of rounding to a whole number, the distribution
  // is a point mass between two steps, certain and flat in eta: Taylor's log marginal climbs to 0
  // with nu, and Laplace and EP follow steps that no Gaussian resembles.
  static double largest_dispersion(const Row& typical) { return 12 * std::max(1.0, typical.y); }

  static double mean(double theta, double nu, const Row&) {
    return com_poisson_sum(theta, nu, 0).mean;
  }
  static double variance(double theta, double nu, const Row&) {
    return com_poisson_sum(theta, nu, 0).variance;
  }
  static double mode(double theta, double, const Row&) { return std::floor(std::exp(theta)); }
  static double cdf(double theta, double nu, const Row&, double y) {
    return y < 0 ? 0 : com_poisson_cdf(theta, nu, y);
  }
};

}  // namespace ggpm::internal::families
