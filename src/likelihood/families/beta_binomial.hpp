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

  // With Stirling's formula for every gamma function, what is large is a sum over the table
  //    k  N-k        of each entry times excess(log(expected/entry)), "expected" being what the sums of rows and
  //    a   b         columns say: at least 0, so that nothing cancels, however many trials.   (Loader 2000)
  template <class Real>
  static Real log_density(const Unit<Real>& u, const Real& phi, const Row& row) {
    using std::exp;
    using std::log;
    const double k = row.y, failures = row.trials - row.y, n = row.trials;
    // One trial is correlated with no other. In what follows its derivative by phi would be rounding alone, whose
    // integral has no digit to agree on.
    if (n == 1) return k > 0 ? u.log_mean : u.log_complement;
    const Real log_d = log(phi) - numeric::log1p(Real(-phi));  // -log(a + b)
    const Real d = exp(log_d), size = exp(Real(-log_d));
    const Real rows = numeric::log1p(Real(n * d));  // log of (a + b + N)/(a + b)
    const Real surplus = (k * exp(u.log_complement) - failures * exp(u.log_mean)) /
                         (1 + n * d);  // of k over expected
    Real sum = rows / 2 - stirling(Real(size + n)) + stirling(size) + std::log(n) / 2 +
               stirling(n) + kLog2Pi / 2;
    sum += column(k, Real(u.log_mean - log_d), n, log_d, rows, surplus);
    sum += column(failures, Real(u.log_complement - log_d), n, log_d, rows, Real(-surplus));
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
    const double log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
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
  // What k successes (or failures) and their shape a add.
  template <class Real>
  static Real column(double k,
                     const Real& log_a,
                     double n,
                     const Real& log_d,
                     const Real& rows,
                     const Real& surplus) {
    using std::exp;
    using std::log;
    const bool vanishes = !(root(log_a) > -100);  // the cube of k/a would overflow, in derivatives
    const Real a = exp(log_a);
    // log((k + a)/a)
    const Real with_a = k == 0     ? Real(0)
                        : vanishes ? std::log(k) - log_a
                                   : numeric::log1p(Real(k / a));
    Real sum = -with_a / 2;
    if (!vanishes)
      sum += stirling(Real(k + a)) - stirling(a) -
             a * excess(log_ratio(Real(surplus / a), Real(with_a - rows)));
    else if (k > 0)
      sum += stirling(k) + (kLog2Pi + log_a) / 2 - surplus;
    else
      return Real(0);
    if (k == 0) return sum + surplus;
    // log of (k + a)/k and of (a + b + N)/N
    const Real with_k = numeric::log1p(Real(a / k));
    const Real of_n = numeric::log1p(Real(exp(Real(-log_d)) / n));
    return sum - k * excess(log_ratio(Real(-surplus / k), Real(with_k - of_n))) -
           (kLog2Pi + std::log(k)) / 2 - stirling(k);
  }
  // log(1 + x), which is `far` as well: a difference that keeps its digits where x is not small.
  template <class Real>
  static Real log_ratio(const Real& x, const Real& far) {
    return std::abs(root(x)) < 0.5 ? numeric::log1p(x) : far;
  }
};

}  // namespace ggpm::internal::families
