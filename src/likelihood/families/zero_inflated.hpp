#pragma once

#include "likelihood/families/negative_binomial.hpp"
#include "likelihood/families/poisson.hpp"

namespace ggpm::internal::families {

inline constexpr Dispersion kZeroProbability = {
    .meaning = "probability of a zero of its own, between 0 and 1",
    .start = 0.2,
    .lower = 0,
    .upper = 1,
    .interval = true};

// log(z + (1-z) p) from log p: a zero is one of its own, or one of the counts.
template <class Real>
Real log_inflated(const Real& z, const Real& log_p) {
  using std::log;
  const Real log_z = log(z);
  return log_z + softplus(Real(numeric::log1p(Real(-z)) + log_p - log_z));
}

// Beyond this log mean no zero is one of the counts; a little further, its derivatives overflow.
inline constexpr double kCertain = 500;

// Poisson counts and more zeros: p(0) = z + (1-z) e^-mu, p(k) = (1-z) Poisson(k). Not of
// exponential form; not log-concave, since a zero may say nothing about mu.
struct ZeroInflatedPoisson {
  static constexpr std::string_view name = "zero-inflated-poisson";
  static constexpr std::string_view formula =
      "log(phi + (1-phi) e^-mu) for y = 0, else log(1-phi) + y log mu - mu - log y!";
  static constexpr Domain domain = Domain::count;
  static constexpr Scatter scatter = Scatter::more;
  static constexpr std::array dispersions = {kZeroProbability};
  using Links = LinkList<links::Log, links::Softplus>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 60}};

  template <class Real>
  static Real log_density(const Real& log_mean, const Real& z, const Row& row) {
    using std::exp;
    using std::log;
    if (row.y == 0 && root(log_mean) > kCertain) return log(z) + 0 * log_mean;
    if (row.y == 0) return log_inflated(z, Real(-exp(log_mean)));
    return numeric::log1p(Real(-z)) + numeric::log_poisson(row.y, log_mean);
  }

  static double mean(double log_mean, double z, const Row&) { return (1 - z) * std::exp(log_mean); }
  static double variance(double log_mean, double z, const Row&) {
    const double mu = std::exp(log_mean);
    return (1 - z) * mu * (1 + z * mu);
  }
  static double mode(double log_mean, double z, const Row& row) {
    const double inner = Poisson::mode(log_mean, 1, row);
    return log_density(log_mean, z, {.y = 0}) < log_density(log_mean, z, {.y = inner}) ? inner : 0;
  }
  static double cdf(double log_mean, double z, const Row& row, double y) {
    return y < 0 ? 0 : z + (1 - z) * Poisson::cdf(log_mean, 1, row, y);
  }
  // (1-z)(mu - mu^2 e^-mu (1-w)), w the share of the counts in the zeros.
  static double information(double log_mean, double z, const Row&) {
    const double mu = std::exp(log_mean), zero = std::exp(-mu);
    const double own = z / (z + (1 - z) * zero);  // 1 - w
    return (1 - z) * mu * (1 - (zero > 0 ? mu * zero * own : 0));
  }
};

// The same with negative-binomial counts of mean mu and variance mu + alpha mu^2.
struct ZeroInflatedNegativeBinomial {
  static constexpr std::string_view name = "zero-inflated-negative-binomial";
  static constexpr std::string_view formula =
      "log(z + (1-z) NB(0; mu, phi)) for y = 0, else log(1-z) + log NB(y; mu, phi)";
  static constexpr Domain domain = Domain::count;
  static constexpr Scatter scatter = Scatter::more;
  static constexpr std::array dispersions = {
      Dispersion{"alpha; variance of the counts = mu + alpha mu^2"},
      Dispersion{.meaning = kZeroProbability.meaning,
                 .name = "zero",
                 .start = kZeroProbability.start,
                 .lower = 0,
                 .upper = 1,
                 .interval = true}};
  using Links = LinkList<links::Log, links::Softplus>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 70}};
  using Phi2 = std::array<double, 2>;

  template <class Real>
  static Real log_density(const Real& log_mean, const std::array<Real, 2>& phi, const Row& row) {
    const auto& [alpha, z] = phi;
    const Real inner =
        NegativeBinomial::log_density(NegativeBinomial::from_log_mean(log_mean, alpha), alpha, row);
    if (row.y == 0) return log_inflated(z, inner);
    return numeric::log1p(Real(-z)) + inner;
  }

  static double mean(double log_mean, const Phi2& phi, const Row&) {
    return (1 - phi[1]) * std::exp(log_mean);
  }
  static double variance(double log_mean, const Phi2& phi, const Row&) {
    const auto& [alpha, z] = phi;
    const double mu = std::exp(log_mean);
    return (1 - z) * mu * (1 + (alpha + z) * mu);
  }
  static double mode(double log_mean, const Phi2& phi, const Row& row) {
    const double inner =
        NegativeBinomial::mode(NegativeBinomial::from_log_mean(log_mean, phi[0]), phi[0], row);
    return log_density(log_mean, phi, {.y = 0}) < log_density(log_mean, phi, {.y = inner}) ? inner
                                                                                           : 0;
  }
  static double cdf(double log_mean, const Phi2& phi, const Row& row, double y) {
    const auto& [alpha, z] = phi;
    const auto u = NegativeBinomial::from_log_mean(log_mean, alpha);
    return y < 0 ? 0 : z + (1 - z) * NegativeBinomial::cdf(u, alpha, row, y);
  }
  // As above, with g = -d log p(0)/d log mu instead of mu.
  static double information(double log_mean, const Phi2& phi, const Row&) {
    const auto& [alpha, z] = phi;
    const double mu = std::exp(log_mean), g = mu / (1 + alpha * mu);
    const double zero = std::exp(-std::log1p(alpha * mu) / alpha);
    const double own = z / (z + (1 - z) * zero);
    return (1 - z) * g * (1 - g * zero * own);
  }
};

// A zero with probability z whatever mu is, otherwise Poisson counts that are not 0:
// p(k) = (1-z) Poisson(k)/(1 - e^-mu). A zero says nothing about mu.
struct HurdlePoisson {
  static constexpr std::string_view name = "hurdle-poisson";
  static constexpr std::string_view formula =
      "log phi for y = 0, else log(1-phi) + y log mu - mu - log y! - log(1 - e^-mu)";
  static constexpr Domain domain = Domain::count;
  static constexpr std::array dispersions = {
      Dispersion{.meaning = "probability of a zero, between 0 and 1",
                 .start = 0.2,
                 .lower = 0,
                 .upper = 1,
                 .interval = true}};
  using Links = LinkList<links::Log, links::Softplus>;
  static constexpr std::array candidates = {FamilyCandidate{"log", 80}};
  static constexpr bool log_concave = true;

  template <class Real>
  static Real log_density(const Real& log_mean, const Real& z, const Row& row) {
    using std::log;
    if (row.y == 0) return log(z) + 0 * log_mean;
    return numeric::log1p(Real(-z)) + numeric::log_poisson(row.y, log_mean) -
           numeric::log_cloglog(log_mean);
  }

  static double mean(double log_mean, double z, const Row&) { return (1 - z) * positive(log_mean); }
  static double variance(double log_mean, double z, const Row&) {
    const double m = positive(log_mean), mu = std::exp(log_mean);
    // E k^2 = m (1 + mu) given k > 0.
    return (1 - z) * m * (1 + mu - m) + z * (1 - z) * m * m;
  }
  static double mode(double log_mean, double z, const Row& row) {
    const double inner = std::max(1.0, Poisson::mode(log_mean, 1, row));
    return log_density(log_mean, z, {.y = 0}) < log_density(log_mean, z, {.y = inner}) ? inner : 0;
  }
  static double cdf(double log_mean, double z, const Row&, double y) {
    if (y < 0) return 0;
    const double mu = std::exp(log_mean), k = std::floor(y);
    if (k == 0) return z;
    if (mu == 0) return 1;
    // P(0 < K <= k)/P(0 < K), from the tail beyond k.
    const double beyond = std::isinf(mu) ? 1 : numeric::gamma_p(k + 1, mu);
    return z + (1 - z) * std::max(0.0, 1 - beyond / -std::expm1(-mu));
  }
  static double information(double log_mean, double z, const Row&) {
    numeric::Derivs d{};
    numeric::log_cloglog_derivs(log_mean, 2, d);
    return (1 - z) * (std::exp(log_mean) + d[2]);
  }

 private:
  // The mean of a count that is not 0.
  static double positive(double log_mean) {
    const double mu = std::exp(log_mean);
    return mu < 1e-300 ? 1 : mu / -std::expm1(-mu);
  }
};

}  // namespace ggpm::internal::families
