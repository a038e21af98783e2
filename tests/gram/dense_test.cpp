// The dense engine against explicit inverses.
#include "gram/dense.hpp"

#include <gtest/gtest.h>

#include <random>

#include "parallel/threads.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::determinant_of;
using testing_support::eigenvalues_of;
using testing_support::inverse_of;

const Matrix kNoInputs;  // K is set

struct Problem {
  Matrix K;
  Sites sites;
  Vector prior_mean;
};

// A well-conditioned K, sites of the given strength of which some are negative but not so much that
// the posterior is improper.
Problem random_problem(unsigned seed, Index n, double strength, double negative_share) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Matrix A(n, n);
  for (Index i = 0; i < A.size(); ++i) A.data()[i] = normal(random);
  Problem p;
  p.K = A * A.transpose() / double(n) + 0.1 * Matrix::Identity(n, n);
  p.sites.precision.resize(n);
  p.sites.shift.resize(n);
  p.prior_mean.resize(n);
  for (Index i = 0; i < n; ++i) {
    const bool negative = uniform(random) < negative_share;
    p.sites.precision[i] = strength * uniform(random) * (negative ? -0.15 : 1.0);
    p.sites.shift[i] = p.sites.precision[i] * normal(random) + 0.1 * normal(random);
    p.prior_mean[i] = normal(random);
  }
  return p;
}

void expect_explicit(const Problem& p, double tolerance) {
  const Index n = p.K.rows();
  const Matrix P = p.sites.precision.asDiagonal();
  const Matrix I = Matrix::Identity(n, n);
  const Matrix shrink = inverse_of(I + P * p.K);
  const Matrix V = p.K * shrink;
  const Vector alpha = shrink * (p.sites.shift - P * p.prior_mean);

  DenseGram gram(kNoInputs);
  gram.set(p.K);
  Conditioned q;
  ASSERT_TRUE(gram.condition(p.sites, p.prior_mean, Compute::marginals, q));
  EXPECT_CLOSE(q.alpha, alpha, tolerance);
  EXPECT_CLOSE(q.mean, p.prior_mean + p.K * alpha, tolerance);
  EXPECT_CLOSE(q.b, shrink.diagonal(), tolerance);
  EXPECT_CLOSE(q.variance, V.diagonal(), tolerance);
  EXPECT_CLOSE(q.log_det, std::log(determinant_of(I + P * p.K)), tolerance);
  EXPECT_EQ(gram.jitter(), 0);

  Vector x = p.prior_mean;
  gram.shrink(x);
  EXPECT_CLOSE(x, shrink * p.prior_mean, tolerance);

  const Vector v = 0.3 * p.prior_mean;
  const Matrix Q = P * shrink.transpose();
  const Matrix expected =
      0.5 * (alpha * alpha.transpose() - Q + v * alpha.transpose() + alpha * v.transpose());
  const Matrix Kbar = gram.adjoint(q.alpha, v).triangularView<Eigen::Lower>();
  const Matrix lower = expected.triangularView<Eigen::Lower>();
  EXPECT_CLOSE(Kbar, lower, tolerance);
}

TEST(DenseGram, EqualsExplicitInversesForPositiveSites) {
  for (unsigned seed = 0; seed < 5; ++seed) expect_explicit(random_problem(seed, 40, 1, 0), 1e-11);
}

TEST(DenseGram, EqualsExplicitInversesForNegativeSites) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    expect_explicit(random_problem(seed, 40, 1, 0.3), 1e-11);
    expect_explicit(random_problem(seed, 40, 1, 1.0), 1e-11);
  }
}

TEST(DenseGram, EqualsExplicitInversesForOneLatent) {
  expect_explicit(random_problem(1, 1, 1, 0), 1e-13);
  expect_explicit(random_problem(2, 1, 1, 1), 1e-13);
}

TEST(DenseGram, KeepsVariancesOfWeakSites) {
  expect_explicit(random_problem(3, 200, 1e-8, 0), 1e-11);    // all weak: from the inverse
  expect_explicit(random_problem(4, 200, 1e-8, 0.5), 1e-11);  // of both signs
  Problem few = random_problem(5, 100, 1, 0.1);
  for (const Index i : {3, 50, 99}) few.sites.precision[i] *= 1e-12;  // few: by solving
  few.sites.precision[7] = 0;
  few.sites.precision[8] = -0.0;
  expect_explicit(few, 1e-11);
}

TEST(DenseGram, SaysThatAGaussianIsImproper) {
  Problem p = random_problem(6, 20, 1, 0);
  p.sites.precision[4] = -2 / p.K(4, 4) - 10;
  DenseGram gram(kNoInputs);
  gram.set(p.K);
  Conditioned q;
  EXPECT_FALSE(gram.condition(p.sites, p.prior_mean, Compute::mean, q));
  EXPECT_EQ(gram.jitter(), 0);
}

TEST(DenseGram, IsProperExactlyIfThePosteriorPrecisionIsPositiveDefinite) {
  int proper = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Problem p = random_problem(seed, 8, 4, 0.5);
    const Matrix precision = inverse_of(p.K) + Matrix(p.sites.precision.asDiagonal());
    const double smallest = eigenvalues_of(precision)[0];
    DenseGram gram(kNoInputs);
    gram.set(p.K);
    Conditioned q;
    EXPECT_EQ(gram.condition(p.sites, p.prior_mean, Compute::mean, q), smallest > 0)
        << "seed " << seed;
    proper += smallest > 0;
  }
  EXPECT_GT(proper, 20);
  EXPECT_LT(proper, 180);
}

TEST(DenseGram, NeedsNoJitterForDuplicatedRows) {
  const Index n = 300;
  DenseGram gram(kNoInputs);
  for (const double precision : {1e-12, 1.0, 1e12}) {
    gram.set(Matrix::Constant(n, n, 1.0));
    Sites sites{Vector::Constant(n, precision), Vector::Constant(n, 2 * precision)};
    Conditioned q;
    ASSERT_TRUE(gram.condition(sites, Vector::Zero(n), Compute::marginals, q));
    EXPECT_EQ(gram.jitter(), 0);
    const double posterior = 1 / (1 + double(n) * precision);  // n measurements of one number
    EXPECT_CLOSE(q.variance, Vector::Constant(n, posterior), 1e-10);
    EXPECT_CLOSE(q.mean, Vector::Constant(n, 2 * double(n) * precision * posterior), 1e-9);
  }
}

TEST(DenseGram, ReportsTheJitterOfASingularKWithoutNoise) {
  const Index n = 50;
  Vector x = Vector::LinSpaced(n, 0, 1);
  Matrix K(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) K(i, j) = std::exp(-0.5 * std::pow((x[i] - x[j]) / 10, 2));
  DenseGram gram(kNoInputs);
  gram.set(K);
  Sites sites{Vector::Constant(n, 1e18), Vector::Constant(n, 1e18)};
  Conditioned q;
  ASSERT_TRUE(gram.condition(sites, Vector::Zero(n), Compute::marginals, q));
  EXPECT_GT(gram.jitter(), 0);
  EXPECT_LT(gram.jitter(), 1e-12);
  EXPECT_CLOSE(q.mean, Vector::Ones(n), 1e-6);
}

// Large enough for loops over columns to run in threads.
TEST(DenseGram, AgreesWithExplicitInversesInThreads) {
  const BlasThreads threads(3);
  for (const double negative : {0.0, 0.3})
    expect_explicit(random_problem(11, 820, 1, negative), 1e-9);
}

TEST(DenseConditional, HasTheSameBitsForAnyNumberOfThreads) {
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  const auto draw = [&](Index rows, Index cols) {
    return Matrix::NullaryExpr(rows, cols, [&](Index, Index) { return normal(random); }).eval();
  };
  const Matrix X = draw(90, 2), Z = draw(1000, 2);
  const Kernel kernel = Kernel::parse("rbf(1.2, 0.7)").bind(2);
  Posterior posterior;
  posterior.sites.precision = draw(90, 1).cwiseAbs();
  posterior.alpha = draw(90, 1);
  const auto conditional = make_dense_conditional(kernel, X, posterior);
  Vector shift, variance, shift_of_some, variance_of_some;
  {
    const BlasThreads one(1);
    conditional->predict(Z, shift, variance);
  }
  {
    const BlasThreads some(3);
    conditional->predict(Z, shift_of_some, variance_of_some);
  }
  EXPECT_EQ(shift, shift_of_some);
  EXPECT_EQ(variance, variance_of_some);
  EXPECT_GT(variance.minCoeff(), 0);
}

TEST(DenseGram, RefusesWhatIsNotFinite) {
  const Index n = 4;
  DenseGram gram(kNoInputs);
  Conditioned q;
  Sites sites{Vector::Ones(n), Vector::Ones(n)};
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()})
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j)
        for (const double precision : {1.0, 0.0, -0.1}) {
          Matrix K = Matrix::Identity(n, n);
          K(i, j) = K(j, i) = bad;
          sites.precision[j] = precision;
          gram.set(K);
          EXPECT_THROW(gram.condition(sites, Vector::Zero(n), Compute::mean, q), NumericalError)
              << bad << " at " << i << ", " << j << ", precision " << precision;
        }
  gram.set(Matrix::Identity(n, n));
  sites.precision[1] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(gram.condition(sites, Vector::Zero(n), Compute::mean, q));
}

}  // namespace
}  // namespace ggpm::internal
