#include "trust/convergence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "trust/pareto.hpp"

namespace ggpm::internal {
namespace {

// Uniform numbers that any program can make again: a linear congruence.
class Congruence {
 public:
  explicit Congruence(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (static_cast<double>(state_ >> 11U) + 0.5) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

// x_i = rho x_i-1 + uniform - 1/2, from 0.
Matrix uniform_chains(Index draws, Index count, double rho, std::uint64_t seed) {
  Congruence uniform(seed);
  Matrix out(draws, count);
  for (Index c = 0; c < count; ++c) {
    double x = 0;
    for (Index i = 0; i < draws; ++i) out(i, c) = x = rho * x + (uniform() - 0.5);
  }
  return out;
}

// Computed by a twin in NumPy and SciPy after the definitions of ArviZ 0.17 (rhat rank, ess bulk,
// tail, mean).
struct Reference {
  Index draws, chains;
  double rho;
  std::uint64_t seed;
  double r_hat, bulk, tail, mean;
};
constexpr Reference kReferences[] = {
    {100, 4, 0, 1, 1.00257994263, 450.167536809, 416.067586901, 479.802935016},
    {101, 4, 0.7, 2, 1.05979766118, 60.7155418397, 155.473177167, 58.9686260259},
    {200, 2, -0.5, 3, 0.998673999128, 994.437461617, 305.274873754, 883.216540609},
    {250, 4, 0.95, 4, 1.14750543158, 20.1548112907, 58.5594896957, 17.1106179474},
    {10, 4, 0.3, 5, 1.06244282113, 38.9636967686, 46.5753424658, 49.265881523},
};

TEST(Convergence, AgreesWithTheReferenceImplementation) {
  for (const Reference& r : kReferences) {
    const Matrix draws = uniform_chains(r.draws, r.chains, r.rho, r.seed);
    EXPECT_NEAR(split_r_hat(draws) / r.r_hat, 1, 1e-9) << "seed " << r.seed;
    EXPECT_NEAR(bulk_ess(draws) / r.bulk, 1, 1e-9) << "seed " << r.seed;
    EXPECT_NEAR(tail_ess(draws) / r.tail, 1, 1e-9) << "seed " << r.seed;
    EXPECT_NEAR(mean_ess(draws) / r.mean, 1, 1e-9) << "seed " << r.seed;
  }
}

// AR(1) chains of unit variance.
Matrix chains(Index draws, Index count, double correlation, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix out(draws, count);
  for (Index c = 0; c < count; ++c) {
    double x = normal(random);
    for (Index i = 0; i < draws; ++i)
      out(i, c) = x = correlation * x + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  return out;
}

TEST(RHat, SeesAChainElsewhereAndAChainOfAnotherSpread) {
  Matrix draws = chains(1000, 4, 0, 1);
  EXPECT_LT(split_r_hat(draws), 1.01);
  draws.col(2).array() += 1;
  EXPECT_GT(split_r_hat(draws), 1.05);
  draws = chains(1000, 4, 0, 2);
  draws.col(1) *= 3;  // the same mean: only the folded draws show it
  EXPECT_GT(split_r_hat(draws), 1.05);
}

TEST(RHat, SeesAChainThatDrifts) {
  Matrix draws = chains(1000, 4, 0, 3);
  for (Index i = 0; i < 1000; ++i) draws(i, 0) += static_cast<double>(i) / 500;
  EXPECT_GT(split_r_hat(draws), 1.02);
}

TEST(Ess, OfAutoregressiveChainsFollowsTheirCorrelation) {
  for (const double rho : {0.0, 0.5, 0.8, -0.3}) {
    const double expected = 20000 * (1 - rho) / (1 + rho);
    EXPECT_NEAR(mean_ess(chains(5000, 4, rho, 5)), expected, 0.12 * expected) << rho;
  }
}

TEST(Ess, IsUndefinedForTooFewDraws) { EXPECT_TRUE(std::isnan(bulk_ess(chains(6, 2, 0, 1)))); }

TEST(ParetoK, AgreesWithTheReferenceImplementation) {
  struct {
    double k;
    std::uint64_t seed;
    double expected;
  } const references[] = {
      {0.3, 1, 0.213752164834}, {0.7, 2, 0.884514009569}, {1.2, 3, 1.22263076675}};
  for (const auto& r : references) {
    Congruence uniform(r.seed);
    Vector log_weights(500);
    for (double& w : log_weights) w = -r.k * std::log(uniform());
    EXPECT_NEAR(pareto_k(log_weights), r.expected, 1e-9);
    EXPECT_NEAR(pareto_k(log_weights.array() + 1e5), r.expected, 1e-6);
  }
}

TEST(ParetoK, IsZeroForEqualWeightsWhateverTheirSize) {
  EXPECT_EQ(pareto_k(Vector::Constant(1000, -1e5)), 0);
}

}  // namespace
}  // namespace ggpm::internal
