#pragma once

#include <boost/math/tools/roots.hpp>

#include "likelihood/families/family.hpp"
#include "likelihood/families/tweedie_sum.hpp"

namespace ggpm::internal::families {

// Amounts with exact zeros: a Poisson number of gamma variables, of mean mu and variance
// phi mu^p, 1 < p < 2.
//   rate = mu^(2-p)/(phi (2-p)),  shape of each (2-p)/(p-1),  scale phi (p-1) mu^(p-1)
// log p(0) = -rate is the logarithm of a probability, log p(y) that of a density.
struct Tweedie {
  static constexpr std::string_view name = "tweedie";
  static constexpr std::string_view formula =
      "-mu^(2-p)/(phi (2-p)) for y = 0, else y mu^(1-p)/(phi (1-p)) - mu^(2-p)/(phi (2-p)) + "
      "c(y, phi, p)";
  static constexpr Domain domain = Domain::nonnegative;
  static constexpr std::array dispersions = {
      Dispersion{"variance = phi mean^power"},
      Dispersion{.meaning = "p of the variance, between 1 and 2",
                 .name = "power",
                 .start = 1.5,
                 .lower = 1,
                 .upper = 2,
                 .interval = true}};
  using Links = LinkList<links::Log>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 15}};
  static constexpr bool log_concave = true;
  static constexpr bool costly = true;          // a sum for each density
  static constexpr bool slow_in_digits = true;  // of multiprecision tests
  using Phi2 = std::array<double, 2>;

  // With j0 and a = the rate and shape at mu = y, and d = eta - log y:
  //   log p = -log y + S(j0, a) - y^(2-p)/phi (e((2-p) d)/(2-p) + e(-(p-1) d)/(p-1)),
  // where e(x) = e^x - 1 - x and S is the series: what is large has canceled.
  template <class Real>
  static Real log_density(const Real& eta, const std::array<Real, 2>& phi, const Row& row) {
    using std::exp;
    const Real &scale = phi[0], q = 2 - phi[1], r = phi[1] - 1;
    if (row.y == 0) return -exp(q * eta) / (scale * q);
    const double log_y = std::log(row.y);
    const Real d = eta - log_y;
    const Real divergence =
        exp(q * log_y) / scale * (excess(Real(q * d)) / q + excess(Real(-r * d)) / r);
    return saturated(log_y, scale, q, r) - divergence;
  }

  // log mu ~ N(mean, v): E e(x) = e(E x + s^2/2) + s^2/2 for x ~ N(E x, s^2).
  static Expected expected(double log_mean, double v, const Phi2& phi, const Row& row) {
    const double q = 2 - phi[1], r = phi[1] - 1;
    Expected out{.value = average<double>(log_mean, v, phi, row)};
    if (row.y == 0) {
      out.d1 = -std::exp(q * log_mean + q * q * v / 2) / phi[0];
      out.d2 = q * out.d1;
    } else {
      const double log_y = std::log(row.y), d = log_mean - log_y;
      const double up = q * d + q * q * v / 2, down = r * r * v / 2 - r * d;
      const double size = std::exp(q * log_y) / phi[0];
      out.d1 = size * (std::expm1(down) - std::expm1(up));
      out.d2 = -size * (q * std::exp(up) + r * std::exp(down));
    }
    for (std::size_t k = 0; k < phi.size(); ++k) {
      std::array<numeric::Jet1, 2> varied = {numeric::Jet1(phi[0]), numeric::Jet1(phi[1])};
      varied[k] = numeric::ad::make_fvar<double, 1>(phi[k]);
      out.dphi[k] = numeric::derivative(average(log_mean, v, varied, row), 1);
    }
    return out;
  }

  static double mean(double eta, const Phi2&, const Row&) { return std::exp(eta); }
  static double variance(double eta, const Phi2& phi, const Row&) {
    return phi[0] * std::exp(phi[1] * eta);
  }
  static double cdf(double eta, const Phi2& phi, const Row&, double y) {
    const double q = 2 - phi[1], r = phi[1] - 1;
    return tweedie_cdf(
        std::exp(q * eta) / (phi[0] * q), q / r, y / (phi[0] * r * std::exp(r * eta)));
  }
  static double quantile(double eta, const Phi2& phi, const Row& row, double p) {
    if (p <= cdf(eta, phi, row, 0)) return 0;
    const auto gap = [&](double log_y) { return cdf(eta, phi, row, std::exp(log_y)) - p; };
    const double center = log_of_double(eta);
    double low = center - 1, high = center + 1;
    while (gap(low) > 0 && low > -kLargestLog) low -= 2 * (center - low);
    while (gap(high) < 0 && high < kLargestLog) high += 2 * (high - center);
    if (std::isnan(gap(low)) || std::isnan(gap(high)))
      return std::numeric_limits<double>::quiet_NaN();
    if (gap(low) > 0 || gap(high) < 0) return std::exp(gap(low) > 0 ? low : high);
    std::uintmax_t steps = 200;
    const auto bracket = boost::math::tools::toms748_solve(
        gap, low, high, boost::math::tools::eps_tolerance<double>(50), steps);
    return std::exp((bracket.first + bracket.second) / 2);
  }
  static double information(double eta, const Phi2& phi, const Row&) {
    return std::exp((2 - phi[1]) * eta) / phi[0];
  }

 private:
  template <class Real>
  static Real average(double log_mean, double v, const std::array<Real, 2>& phi, const Row& row) {
    using std::exp;
    const Real &scale = phi[0], q = 2 - phi[1], r = phi[1] - 1;
    const Real wide_q = q * q * (v / 2), wide_r = r * r * (v / 2);
    if (row.y == 0) return -exp(q * log_mean + wide_q) / (scale * q);
    const double log_y = std::log(row.y), d = log_mean - log_y;
    const Real divergence =
        exp(q * log_y) / scale *
        ((excess(Real(q * d + wide_q)) + wide_q) / q + (excess(Real(wide_r - r * d)) + wide_r) / r);
    return saturated(log_y, scale, q, r) - divergence;
  }

  // log p at mu = y.
  template <class Real>
  static Real saturated(double log_y, const Real& scale, const Real& q, const Real& r) {
    using std::log;
    return series(Real(q * log_y - log(scale) - log(q)), Real(log(q) - log(r))) - log_y;
  }

  // S as a function of log j0 and log a; to first order, which is all that phi and p need.
  template <class Real>
  static Real series(const Real& log_j0, const Real& log_a) {
    if constexpr (std::is_same_v<Real, double> || numeric::is_jet<Real>) {
      const TweedieSum s = tweedie_sum(root(log_j0), std::exp(root(log_a)));
      return s.value + s.d_log_j0 * (log_j0 - root(log_j0)) + s.d_log_a * (log_a - root(log_a));
    } else {  // the textbook sum
      const Real j0 = exp(log_j0), a = exp(log_a);
      Real sum = 0;
      const double center = root(j0), reach = 20 + 12 * std::sqrt(center) + 3 * center;
      for (double j = 1; j < center + reach; ++j)
        sum += exp(j * log_j0 - j0 - boost::math::lgamma(Real(j + 1)) + j * a * (log_j0 + log_a) -
                   j0 * a - boost::math::lgamma(Real(j * a)));
      return log(sum);
    }
  }
};

}  // namespace ggpm::internal::families
