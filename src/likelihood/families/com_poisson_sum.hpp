// Sums over the counts of a COM-Poisson distribution, to rounding, at a cost that does not grow
// with the mean.
//
//   p(n) = Pois(n; mu)^nu / sum_k Pois(k; mu)^nu,   mu = e^theta
//
// which is the paper's (mu^n/n!)^nu / S(mu, nu) with the factor e^{-mu nu} kept in, so that the
// terms near the mode are moderate for every mu.
#pragma once

namespace ggpm::internal {

// Moments of n under COM-Poisson(theta, nu), relative to an observed y. With
// d(n) = log Pois(n; mu) - log Pois(y; mu):   log p(y) = -log sum_n e^{nu d(n)}.
struct ComPoissonSum {
  double log_sum;   // log sum_n e^{nu d(n)} = -log p(y)
  double mean;      // E n - y
  double variance;  // of n
  double third;     // third central moment of n
  double d_mean;    // E d
  double n_d;       // Cov(n, d)
  double nn_d;      // E (n - En)^2 (d - Ed)
};

ComPoissonSum com_poisson_sum(double theta, double nu, double y);

// P(n <= y), y >= 0.
double com_poisson_cdf(double theta, double nu, double y);

}  // namespace ggpm::internal
