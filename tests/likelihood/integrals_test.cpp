// Tilted moments, Gaussian expectations and predictive distributions against a fine grid.
#include <gtest/gtest.h>

#include "support/close.hpp"
#include "support/random_rows.hpp"

namespace ggpm {
namespace {

using testing_support::all_likelihoods;
using testing_support::case_name;
using testing_support::LikelihoodCase;
using testing_support::RandomProblems;

class Integrals : public testing::TestWithParam<LikelihoodCase> {};

// Trapezoidal sums over a very fine grid, for integrands that die out inside [low, high].
struct Grid {
  std::vector<double> eta, weight;
  Grid(double low, double high, int n) {
    for (int i = 0; i <= n; ++i) {
      eta.push_back(low + (high - low) * i / n);
      weight.push_back((high - low) / n);
    }
  }
};

std::vector<LogDensity> densities(const Likelihood& likelihood, const Row& row, const Grid& grid) {
  std::vector<Row> rows(grid.eta.size(), row);
  std::vector<LogDensity> out(grid.eta.size());
  likelihood.log_density(rows, grid.eta, Derivatives::dispersion, out);
  return out;
}

TEST_P(Integrals, TiltedMomentsMatchAFineGrid) {
  RandomProblems random(11);
  for (int trial = 0; trial < 12; ++trial) {
    const auto likelihood = random.likelihood(GetParam(), 0.1, 3);
    const double v = random.log_uniform(0.01, 9);
    const double m = random.uniform(-1.5, 1.5);
    const Row row = random.row(*likelihood, m + std::sqrt(v) * random.normal());
    const Grid grid(m - 10 * std::sqrt(v), m + 10 * std::sqrt(v), 4000);
    const auto l = densities(*likelihood, row, grid);
    double top = -1e300;
    const auto exponent = [&](std::size_t i) {
      const double d = grid.eta[i] - m;
      return l[i].value - d * d / (2 * v);
    };
    for (std::size_t i = 0; i < l.size(); ++i) top = std::max(top, exponent(i));
    double z = 0, first = 0, second = 0, dphi = 0;
    for (std::size_t i = 0; i < l.size(); ++i) {
      const double w = grid.weight[i] * std::exp(exponent(i) - top);
      z += w;
      first += w * (grid.eta[i] - m);
      second += w * (grid.eta[i] - m) * (grid.eta[i] - m);
      dphi += w * l[i].dphi[0];
    }
    Tilted t;
    likelihood->tilted(
        std::span(&row, 1), std::span(&m, 1), std::span(&v, 1), std::span(&t, 1), Dphi::wanted);
    const double mean = first / z;
    const double variance = second / z - mean * mean;
    const double log_z = top + std::log(z) - 0.5 * std::log(2 * M_PI * v);
    const double slack = likelihood->differentiable() ? 1e-9 : 1e-3;  // a kink hurts the grid
    EXPECT_CLOSE(t.log_z, log_z, slack) << "trial " << trial;
    EXPECT_NEAR(t.mean, m + mean, slack * std::sqrt(v)) << "trial " << trial;
    EXPECT_NEAR(t.variance, variance, 10 * slack * v) << "trial " << trial;
    EXPECT_CLOSE(t.dphi[0], dphi / z, 10 * slack) << "trial " << trial;
    EXPECT_NEAR(t.d1 * v, t.mean - m, 1e-9 * (std::sqrt(v) + std::abs(t.mean - m)))
        << "trial " << trial;
    EXPECT_NEAR(v + v * v * t.d2, t.variance, 1e-9 * v) << "trial " << trial;
  }
}

TEST_P(Integrals, ExpectationsMatchAFineGrid) {
  RandomProblems random(12);
  for (int trial = 0; trial < 12; ++trial) {
    const auto likelihood = random.likelihood(GetParam(), 0.1, 3);
    const double v = random.log_uniform(0.01, 2);
    const double m = random.uniform(-1.5, 1.5);
    const Row row = random.row(*likelihood, m + std::sqrt(v) * random.normal());
    const Grid grid(m - 14 * std::sqrt(v), m + 14 * std::sqrt(v), 4000);
    const auto l = densities(*likelihood, row, grid);
    Expected sum, size;
    for (std::size_t i = 0; i < l.size(); ++i) {
      const double d = (grid.eta[i] - m) / std::sqrt(v);
      const double w = grid.weight[i] * std::exp(-d * d / 2) / std::sqrt(2 * M_PI * v);
      sum.value += w * l[i].value;
      sum.d1 += w * l[i].d1;
      sum.d2 += w * l[i].d2;
      for (std::size_t k = 0; k < 2; ++k) sum.dphi[k] += w * l[i].dphi[k];
      size.d2 += w * std::abs(l[i].d2);
    }
    Expected e;
    likelihood->expected(
        std::span(&row, 1), std::span(&m, 1), std::span(&v, 1), std::span(&e, 1), Dphi::wanted);
    const double slack = likelihood->differentiable() ? 1e-9 : 1e-2;  // a kink hurts the grid
    EXPECT_CLOSE(e.value, sum.value, slack) << "trial " << trial;
    EXPECT_CLOSE(e.d1, sum.d1, 3 * slack) << "trial " << trial;
    if (likelihood->differentiable()) {
      EXPECT_NEAR(e.d2, sum.d2, 1e-9 * (1 + size.d2)) << "trial " << trial;
    }
    for (std::size_t k = 0; k < 2; ++k)  // as many as any family has
      EXPECT_CLOSE(e.dphi[k], sum.dphi[k], 10 * slack) << "trial " << trial << ", dispersion " << k;
  }
}

// log p is larger than a double where it still counts in its average over the Gaussian: nine
// deviations away, or farther as long as it outgrows the Gaussian.
bool overflows(const Likelihood& likelihood, const Row& row, double m, double v) {
  for (const double side : {-1.0, 1.0}) {
    double last = -std::numeric_limits<double>::infinity();
    for (double z = 9; z < 70; ++z) {
      const double eta = m + side * z * std::sqrt(v);
      const double size = std::abs(testing_support::density_at(likelihood, row, eta).value);
      if (!(size < 1e280)) return true;
      const double weighted = std::log(size) - z * z / 2;
      if (weighted < last) break;
      last = weighted;
    }
  }
  return false;
}

// Peaked, wide and far-off integrands stay finite and normalized: the moments of EP's worst days.
TEST_P(Integrals, SurviveExtremeCavities) {
  RandomProblems random(13);
  for (int trial = 0; trial < 100; ++trial) {
    const auto likelihood = random.likelihood(GetParam(), 1e-3, 1e3);
    const double v = random.log_uniform(1e-6, 1e4);
    const double m = random.uniform(-8, 8);
    const Row row = random.row(*likelihood, random.uniform(-3, 5));
    Tilted t;
    likelihood->tilted(
        std::span(&row, 1), std::span(&m, 1), std::span(&v, 1), std::span(&t, 1), Dphi::wanted);
    EXPECT_TRUE(std::isfinite(t.log_z) && std::isfinite(t.mean) && std::isfinite(t.dphi[0]))
        << "trial " << trial << " m=" << m << " v=" << v << " y=" << row.y;
    EXPECT_GT(t.variance, 0) << "trial " << trial;
    if (likelihood->log_concave()) {
      EXPECT_LE(t.variance, v * (1 + 1e-9)) << "trial " << trial;
    }
    if (v > 50 || overflows(*likelihood, row, m, v)) continue;  // E e^eta overflows by right
    Expected e;
    likelihood->expected(
        std::span(&row, 1), std::span(&m, 1), std::span(&v, 1), std::span(&e, 1), Dphi::wanted);
    EXPECT_TRUE(std::isfinite(e.value) && std::isfinite(e.d1) && std::isfinite(e.d2))
        << "trial " << trial << " m=" << m << " v=" << v << " y=" << row.y;
    EXPECT_LE(e.value, t.log_z + 1e-9 * std::abs(t.log_z) + 1e-11) << "Jensen, trial " << trial;
  }
}

TEST_P(Integrals, PredictiveDistributionIsConsistent) {
  RandomProblems random(14);
  for (int trial = 0; trial < 12; ++trial) {
    // A beta keeps away from shapes that put mass closer to 1 than a double can say.
    const bool beta = GetParam().name == "beta";
    const auto likelihood = random.likelihood(GetParam(), beta ? 0.005 : 0.1, beta ? 0.03 : 0.9);
    const double v = random.log_uniform(0.01, beta ? 0.1 : 1);
    const double m = beta ? random.uniform(-1, 0.5) : random.uniform(-1, 2);
    const Row row = random.row(*likelihood, m);
    const auto p = likelihood->predictive(row, m, v);
    double previous = -std::numeric_limits<double>::infinity();
    for (const double level : {0.025, 0.25, 0.5, 0.75, 0.975}) {
      const double q = p->quantile(level);
      EXPECT_GE(q, previous) << "trial " << trial;
      previous = q;
      if (likelihood->domain() == Domain::nonnegative && q == 0) {
        EXPECT_GE(p->cdf(0) + 1e-12, level) << "trial " << trial;
      } else if (!is_discrete(likelihood->domain())) {
        EXPECT_NEAR(p->cdf(q), level, 1e-8) << "trial " << trial;
        // density = d cdf / d y
        const double h = 1e-4 * std::min({std::abs(q), 1 - q > 0 ? 1 - q : 1.0, 1.0});
        const double slope = (p->cdf(q + h) - p->cdf(q - h)) / (2 * h);
        EXPECT_NEAR(std::exp(p->log_density(q)), slope, 2e-5 * (1 + slope)) << "trial " << trial;
      } else {
        EXPECT_GE(p->cdf(q) + 1e-12, level) << "trial " << trial;
        EXPECT_LT(p->cdf(q - 1) - 1e-12, level) << "trial " << trial;
        EXPECT_NEAR(std::exp(p->log_density(q)), p->cdf(q) - p->cdf(q - 1), 1e-9)
            << "trial " << trial;
      }
    }
    const double mode = p->mode();
    // A mode is the highest density; a probability at 0 is not one.
    const bool mass = likelihood->domain() == Domain::nonnegative && p->quantile(0.5) == 0;
    if (!std::isnan(mode) && !mass) {
      EXPECT_GE(p->log_density(mode) + 1e-9, p->log_density(p->quantile(0.5))) << "trial " << trial;
    }
    EXPECT_TRUE(std::isfinite(p->mean()) || GetParam().name == "log-logistic");
    if (!testing_support::heavy_tails(GetParam().name)) {
      EXPECT_GT(p->variance(), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Integrals, testing::ValuesIn(all_likelihoods()), case_name);

}  // namespace
}  // namespace ggpm
