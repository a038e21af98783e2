#pragma once

#include <boost/math/quadrature/gauss.hpp>

#include "likelihood/families/family.hpp"
#include "numeric/incomplete_beta.hpp"

namespace ggpm::internal::families {

// k successes in N trials whose probability varies from row to row: a beta distribution of mean mu
// and intra-class correlation rho = phi. Not of exponential form.
//   k ~ binomial(N, p),  p ~ beta(mu/d, (1-mu)/d),  d = rho/(1-rho)
struct BetaBinomial {
  static constexpr std::string_view name = "beta-binomial";
  static constexpr std::string_view formula =
      "log C(N, k) + log B(k + a, N - k + b) - log B(a, b),  a = mu (1-phi)/phi, "
      "b = (1-mu) (1-phi)/phi";
  static constexpr Domain domain = Domain::fraction_of_trials;
  static constexpr std::array dispersions = {
      Dispersion{.meaning = "correlation of the trials of a row, between 0 and 1",
                 .start = 0.1,
                 .lower = 0,
                 .upper = 1,
                 .interval = true}};
  using Links = LinkList<links::Logit, links::Probit, links::Cloglog>;
  static constexpr std::array candidates = {FamilyCandidate{"logit", 20}};

  // The binomial density and what a beta adds: sums of log(1 + j/shape), all small for a small rho.
  // Where there are more trials than correlated ones, these are large and cancel; the coefficients
  // then do not.
  template <class Real>
  static Real log_density(const Unit<Real>& u, const Real& phi, const Row& row) {
    using std::log;
    const double k = row.y, failures = row.trials - row.y;
    const Real log_d = log(phi) - numeric::log1p(Real(-phi));
    const Real log_a = u.log_mean - log_d, log_b = u.log_complement - log_d;
    if (std::log(row.trials) > -root(log_d))
      return log_coefficient(log_a, k) + log_coefficient(log_b, failures) -
             log_coefficient(Real(-log_d), row.trials);
    Real sum = binomial(u, k, failures) - log_rising(Real(-log_d), row.trials);
    if (k > 0) sum += log_rising(log_a, k);
    if (failures > 0) sum += log_rising(log_b, failures);
    return sum;
  }

  static double mean(const Unit<double>& u, double, const Row& row) {
    return row.trials * std::exp(u.log_mean);
  }
  static double variance(const Unit<double>& u, double rho, const Row& row) {
    return row.trials * std::exp(u.log_mean + u.log_complement) * (1 + (row.trials - 1) * rho);
  }
  // Inside only if both shapes exceed 1; otherwise at an end.
  static double mode(const Unit<double>& u, double rho, const Row& row) {
    const double size = (1 - rho) / rho;
    const double a = std::exp(u.log_mean) * size, b = std::exp(u.log_complement) * size;
    double best = 0, height = at(0, u, rho, row);
    const auto look = [&](double k) {
      const double here = at(k, u, rho, row);
      if (!(here > height)) return;
      best = k;
      height = here;
    };
    look(row.trials);
    if (a > 1 && b > 1)
      look(std::clamp(std::floor((row.trials + 1) * (a - 1) / (a + b - 2)), 0.0, row.trials));
    return best;
  }
  // From the term at y outwards, in the direction in which terms fall.
  static double cdf(const Unit<double>& u, double rho, const Row& row, double y) {
    const double n = row.trials, k = std::floor(y), size = (1 - rho) / rho;
    if (k < 0) return 0;
    if (k >= n) return 1;
    const double a = std::exp(u.log_mean) * size, b = std::exp(u.log_complement) * size;
    const bool lower = k <= mean(u, rho, row);
    const double deviation = std::sqrt(variance(u, rho, row));
    if (std::min(lower ? k : n - k, 8 * deviation) > kMostTerms) {
      if (n * rho > kBroad) return cdf_of_fractions(a, b, (k + 0.5) / n, (n - k - 0.5) / n, n);
      if (a > 1 && b > 1)
        return lower ? tail(k, -deviation, u, rho, row) : 1 - tail(k + 1, deviation, u, rho, row);
    }
    double sum = 0, term = 1;
    if (lower) {
      for (double j = k; j >= 0 && term > 1e-18 * sum; --j) {
        sum += term;
        term *= j / (n - j + 1) * ((b + n - j) / (a + j - 1));
      }
      return std::min(1.0, sum * std::exp(at(k, u, rho, row)));
    }
    for (double j = k + 1; j <= n && term > 1e-18 * sum; ++j) {
      sum += term;
      term *= (n - j) / (j + 1) * ((a + j) / (b + n - j - 1));
    }
    return std::max(0.0, 1 - sum * std::exp(at(k + 1, u, rho, row)));
  }

 private:
  static constexpr double kMostTerms = 2e4;  // of a sum; that of 1e15 trials would never end
  static constexpr double kBroad = 1e5;

  // Of so many trials that k/N is the beta variable itself, to 1/(N rho): with the first term of what the
  // scatter of a binomial adds, p(1-p)/(2N) times the density, to its square.
  static double cdf_of_fractions(double a, double b, double x, double y, double n) {
    if (!(a > 0)) return 1;
    if (!(b > 0)) return 0;
    const double log_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
    const double density = std::exp((a - 1) * std::log(x) + (b - 1) * std::log(y) - log_beta);
    return std::clamp(numeric::beta_p(a, b, x, y) + density * (a * y - b * x) / (2 * n), 0.0, 1.0);
  }

  // The terms from k on as an integral, by panels of a deviation: from one term to the next they change by a
  // ten-thousandth, so that Euler-Maclaurin's first correction is below 1e-9.
  static double tail(double k, double step, const Unit<double>& u, double rho, const Row& row) {
    const double end = step < 0 ? -0.5 : row.trials + 0.5;
    double from = step < 0 ? k + 0.5 : k - 0.5, sum = 0;
    for (int panels = 0; panels < 60 && from != end; ++panels) {
      const double to = step < 0 ? std::max(from + step, end) : std::min(from + step, end);
      const double part = std::abs(boost::math::quadrature::gauss<double, 20>::integrate(
          [&](double x) { return std::exp(at(std::clamp(x, 0.0, row.trials), u, rho, row)); },
          std::min(from, to),
          std::max(from, to)));
      sum += part;
      if (part < 1e-18 * sum) break;
      from = to;
    }
    return std::min(sum, 1.0);
  }

  static double at(double k, const Unit<double>& u, double rho, const Row& row) {
    Row other = row;
    other.y = k;
    return log_density(u, rho, other);
  }
  template <class Real>
  static Real binomial(const Unit<Real>& u, double k, double failures) {
    if (k == 0) return failures * u.log_complement;
    if (failures == 0) return k * u.log_mean;
    return numeric::log_binomial(k, failures, u.log_mean, u.log_complement);
  }
  // log Gamma(x + n)/(Gamma(x) n!), from the larger of x and n.
  template <class Real>
  static Real log_coefficient(const Real& log_x, double n) {
    using std::exp;
    if (n == 0) return Real(0);
    if (!(root(log_x) > -745)) return log_x - std::log(n);  // e^log_x is 0
    if (std::log(n) < root(log_x)) return log_rising(log_x, n) + n * log_x - std::lgamma(n + 1);
    const Real x = exp(log_x), rest = log_x - lgamma1p(x);
    if (n < 2) return lgamma1p(Real(x + (n - 1))) - std::lgamma(n + 1) + rest;
    const Real w = numeric::log1p(Real((x - 1) / n));
    const Real top = x + (n - 1);
    return (x - 1) * std::log(n) + top * excess(Real(-w)) + w / 2 + stirling(top) -
           stirling(Real(n)) + rest;
  }
  // log Gamma(x + n)/Gamma(x) - n log x = sum_{j < n} log(1 + j/x).
  template <class Real>
  static Real log_rising(const Real& log_x, double n) {
    using std::exp;
    const Real x = exp(log_x);
    // Small x: only its logarithm keeps the digits.
    if (root(x) < 1) return lgamma1p(Real(x + (n - 1))) - lgamma1p(x) - (n - 1) * log_x;
    const Real w = numeric::log1p(Real(n / x));
    return (x + n) * excess(Real(-w)) - w / 2 + stirling(Real(x + n)) - stirling(x);
  }
};

}  // namespace ggpm::internal::families
