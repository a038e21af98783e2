// Every engine answers the questions of gram.hpp as explicit matrices of its prior would: one suite
// for all of them. An engine takes part by an entry of `engines()`.
#include <gtest/gtest.h>

#include <random>

#include "gram/engine.hpp"
#include "gram/tree_engine.hpp"
#include "parallel/threads.hpp"
#include "support/close.hpp"
#include "support/tree_twin.hpp"

namespace ggpm::internal {
namespace {

using testing_support::cholesky_of;
using testing_support::eigenvalues_of;
using testing_support::inverse_of;
using testing_support::pivots_of;

struct Twin {
  std::string test_name;
  EngineOptions options;
  // The covariance of the latents at the rows of the engine and then at Z, (n + m, n + m), under
  // the prior that the engine stands for. Made of the kernel and the engine's places only.
  Matrix (*prior)(const Engine& engine, const Kernel& kernel, const Matrix& Z);
  double rounding = 0;  // by which engine and twin may differ for many rows and a smooth kernel
};

Matrix dense_prior(const Engine& engine, const Kernel& kernel, const Matrix& Z) {
  const Matrix& X = engine.inputs();
  Matrix among_rows, to_new, among_new;
  kernel.gram(X, among_rows);
  kernel.cross(X, Z, to_new);
  kernel.gram(Z, among_new);
  Matrix out(X.rows() + Z.rows(), X.rows() + Z.rows());
  out << among_rows, to_new, to_new.transpose(), among_new;
  return out;
}

Matrix tree_prior(const Engine& engine, const Kernel& kernel, const Matrix& Z) {
  const auto tree = dynamic_cast<const TreeEngine&>(engine).structure();
  return testing_support::TreeTwin(*tree, kernel).covariance(engine.inputs(), Z);
}

// A front of many smooth points has a condition number of 1 / jitter = 1e9: the tree and its twin,
// which factor it in another order, may differ by some units in the last place times that.
constexpr double kFrontRounding = 20 * 2.2e-16 * 1e9;

std::vector<Twin> engines() {
  return {{"dense", {.name = "dense"}, dense_prior},
          {"automatic", {}, dense_prior},
          {"tree", {.name = "tree"}, tree_prior, kFrontRounding},
          {"inducing", {.name = "tree", .inducing = 20}, tree_prior, kFrontRounding}};
}

constexpr const char* kKernels[] = {"rbf(1.3, [0.7, 1.1]) + white(0.05)",
                                    "matern32(0.8, 0.5) * constant(2) + linear(0.3)"};

Matrix draw(Index rows, Index cols, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, cols, [&](Index, Index) { return normal(random); });
}

// How far the Gaussian is from improper: the smallest eigenvalue of I + L' P L, K = L L'.
double properness(const Matrix& K, const Vector& precision) {
  const Index n = K.rows();
  const Matrix L = cholesky_of(K + 1e-12 * Matrix::Identity(n, n));
  const Matrix A = Matrix::Identity(n, n) + L.transpose() * precision.asDiagonal() * L;
  return eigenvalues_of(A)[0];
}

class Conformance : public testing::TestWithParam<std::tuple<Twin, const char*>> {
 protected:
  const Twin& twin() const { return std::get<0>(GetParam()); }
  bool is_smooth() const { return std::get<1>(GetParam()) == kKernels[0]; }

  // Rows of which some are equal.
  void make(Index n, unsigned seed) {
    random_.seed(seed);
    Matrix X = draw(n, 2, random_);
    if (n > 10) X.row(7) = X.row(3);
    kernel_ = Kernel::parse(std::get<1>(GetParam())).bind(2);
    engine_ = make_engine(twin().options, std::make_shared<const Matrix>(X), *kernel_, seed);
    gram_ = engine_->make_gram();
    gram_->build(*kernel_);
    K_ = twin().prior(*engine_, *kernel_, Matrix(0, 2));
    prior_mean_ = draw(n, 1, random_);
  }

  // Sites of which a share is negative, though not so much that the Gaussian is improper.
  Sites draw_sites(double strength, double negative_share) {
    const Index n = K_.rows();
    std::uniform_real_distribution<double> uniform;
    Sites sites{Vector(n), draw(n, 1, random_)};
    for (double& p : sites.precision)
      p = strength * uniform(random_) * (uniform(random_) < negative_share ? -1.0 : 1.0);
    while (negative_share > 0 && properness(K_, sites.precision) < 0.05)
      for (double& p : sites.precision)
        if (p < 0) p *= 0.7;
    return sites;
  }

  // Everything that a gram says of these sites.
  void expect_explicit(const Sites& sites, double tolerance) {
    const Index n = K_.rows();
    const Matrix I = Matrix::Identity(n, n), P = sites.precision.asDiagonal();
    const Matrix shrink = inverse_of(I + P * K_);
    const Vector alpha = shrink * (sites.shift - P * prior_mean_);
    Conditioned q;
    ASSERT_TRUE(gram_->condition(sites, prior_mean_, Compute::marginals, q));
    EXPECT_CLOSE(q.alpha, alpha, tolerance);
    EXPECT_CLOSE(q.mean, prior_mean_ + K_ * alpha, tolerance);
    EXPECT_CLOSE(q.b, shrink.diagonal(), tolerance);
    EXPECT_CLOSE(q.variance, (K_ * shrink).diagonal(), tolerance);
    const Vector pivots = pivots_of(I + P * K_);
    EXPECT_CLOSE(q.log_det, pivots.array().abs().log().sum(), tolerance);
    EXPECT_EQ(gram_->jitter(), 0);
    Vector x = prior_mean_;
    gram_->shrink(x);
    EXPECT_CLOSE(x, shrink * prior_mean_, tolerance);
  }

  // What a fitted model has of these sites.
  Posterior posterior_of(const Sites& sites) {
    Conditioned q;
    EXPECT_TRUE(gram_->condition(sites, prior_mean_, Compute::mean, q));
    return {.sites = sites, .prior_mean = prior_mean_, .alpha = q.alpha, .mean = q.mean};
  }

  std::mt19937_64 random_;
  std::optional<Kernel> kernel_;
  std::shared_ptr<const Engine> engine_;
  std::unique_ptr<Gram> gram_;
  Matrix K_;
  Vector prior_mean_;
};

TEST_P(Conformance, KIsThatOfThePrior) {
  make(50, 1);
  EXPECT_EQ(gram_->size(), 50);
  EXPECT_CLOSE(gram_->diagonal(), K_.diagonal(), 1e-12);
  Vector image;
  gram_->multiply(prior_mean_, image);
  EXPECT_CLOSE(image, K_ * prior_mean_, 1e-11);
}

TEST_P(Conformance, ConditioningIsThatOfExplicitInverses) {
  for (unsigned seed = 0; seed < 3; ++seed)
    for (const double negative_share : {0.0, 0.3, 1.0})
      for (const double strength : {1e-9, 1.0, 30.0}) {
        make(40, seed);
        expect_explicit(draw_sites(strength, negative_share), 1e-8);
      }
  make(1, 4);
  expect_explicit(draw_sites(1, 0), 1e-12);
}

TEST_P(Conformance, OneSiteMayBeNothingAtAll) {
  make(30, 2);
  Sites sites = draw_sites(1, 0.2);
  sites.precision[4] = 0;
  sites.precision[5] = -0.0;
  expect_explicit(sites, 1e-9);
}

TEST_P(Conformance, MarginalsMayBeAskedForLater) {
  make(40, 3);
  const Sites sites = draw_sites(2, 0.2);
  Conditioned at_once, later;
  ASSERT_TRUE(gram_->condition(sites, prior_mean_, Compute::marginals, at_once));
  ASSERT_TRUE(gram_->condition(sites, prior_mean_, Compute::factor, later));
  EXPECT_CLOSE(later.log_det, at_once.log_det, 1e-14);
  gram_->add_marginals(sites, later);
  EXPECT_CLOSE(later.variance, at_once.variance, 1e-13);
  EXPECT_CLOSE(later.b, at_once.b, 1e-13);
  EXPECT_EQ(gram_->factorizations(), 2);
}

TEST_P(Conformance, IsProperExactlyIfThePosteriorIs) {
  int proper = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    make(12, seed);
    // Mostly positive, so that about half of them are proper.
    Sites sites{draw(12, 1, random_) + Vector::Constant(12, 0.7), draw(12, 1, random_)};
    const double smallest = properness(K_, sites.precision);
    if (std::abs(smallest) < 1e-6) continue;
    Conditioned q;
    EXPECT_EQ(gram_->condition(sites, prior_mean_, Compute::mean, q), smallest > 0)
        << "seed " << seed << ", smallest eigenvalue " << smallest;
    proper += smallest > 0;
  }
  EXPECT_GT(proper, 5);
  EXPECT_LT(proper, 145);
}

TEST_P(Conformance, SitesThatAreNotFiniteAreRefused) {
  make(12, 5);
  Conditioned q;
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (const bool in_shift : {false, true}) {
      Sites sites = draw_sites(1, 0);
      (in_shift ? sites.shift : sites.precision)[3] = bad;
      EXPECT_FALSE(gram_->condition(sites, prior_mean_, Compute::mean, q)) << bad << in_shift;
    }
}

// sum_ij Kbar_ij dK_ij with the explicit adjoint and differences of the explicit prior.
TEST_P(Conformance, PullBackIsTheDerivative) {
  for (const double negative_share : {0.0, 0.3}) {
    make(30, 6);
    const Sites sites = draw_sites(2, negative_share);
    const Vector v = 0.3 * prior_mean_;
    Conditioned q;
    ASSERT_TRUE(gram_->condition(sites, prior_mean_, Compute::marginals, q));
    const Vector gradient = gram_->pull_back(*kernel_, q.alpha, v);

    const Matrix P = sites.precision.asDiagonal();
    const Matrix Q = P * inverse_of(Matrix::Identity(30, 30) + K_ * P);
    const Matrix Kbar = 0.5 * (q.alpha * q.alpha.transpose() - Q + v * q.alpha.transpose() +
                               q.alpha * v.transpose());
    const std::vector<Parameter> parameters = kernel_->parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      constexpr double kStep = 1e-4;
      const auto prior_at = [&](double step) {
        std::vector<double> values;
        for (const Parameter& p : parameters) values.push_back(p.value);
        values[k] *= std::exp(step);
        return twin().prior(*engine_, kernel_->with_values(values), Matrix(0, 2));
      };
      const Matrix dK = (prior_at(kStep) - prior_at(-kStep)) / (2 * kStep);
      EXPECT_CLOSE(gradient[static_cast<Index>(k)], Kbar.cwiseProduct(dK).sum(), 1e-6)
          << parameters[k].name;
    }
  }
}

TEST_P(Conformance, PredictionIsThatOfExplicitInverses) {
  for (const double negative_share : {0.0, 0.3}) {
    make(40, 7);
    const Sites sites = draw_sites(3, negative_share);
    const Posterior posterior = posterior_of(sites);
    Matrix Z = draw(9, 2, random_);
    Z.row(2) = engine_->inputs().row(5);
    const Matrix joint = twin().prior(*engine_, *kernel_, Z);
    const Matrix to_new = joint.topRightCorner(40, 9);
    const Matrix Q = Matrix(sites.precision.asDiagonal()) *
                     inverse_of(Matrix::Identity(40, 40) + K_ * sites.precision.asDiagonal());
    const Matrix expected = joint.bottomRightCorner(9, 9) - to_new.transpose() * Q * to_new;

    const auto conditional = engine_->condition(*kernel_, posterior);
    Vector shift, variance;
    conditional->predict(Z, shift, variance);
    EXPECT_CLOSE(shift, to_new.transpose() * posterior.alpha, 1e-10);
    Vector alone;
    conditional->predict_shift(Z, alone);
    EXPECT_CLOSE(alone, shift, 1e-10);
    EXPECT_CLOSE(variance, expected.diagonal(), 1e-9);
    EXPECT_CLOSE(conditional->covariance(Z), expected, 1e-9);
  }
}

// With the factor that is left, before and after the gradient, with the bits of a new one.
TEST_P(Conformance, PredictionMayTakeTheFactorAlong) {
  for (const double negative_share : {0.0, 0.3})
    for (const bool gradient : {false, true}) {
      make(40, 8);
      const Posterior posterior = posterior_of(draw_sites(3, negative_share));
      if (gradient) gram_->pull_back(*kernel_, posterior.alpha, Vector::Zero(40));
      const auto taken = gram_->take_conditional(*kernel_, posterior.alpha);
      if (taken == nullptr) continue;
      const auto anew = engine_->condition(*kernel_, posterior);
      const Matrix Z = draw(9, 2, random_);
      Vector shift, variance, shift_anew, variance_anew;
      taken->predict(Z, shift, variance);
      anew->predict(Z, shift_anew, variance_anew);
      EXPECT_EQ(shift, shift_anew);
      EXPECT_EQ(variance, variance_anew);
      gram_->build(*kernel_);  // and all is as before
      Conditioned q;
      ASSERT_TRUE(gram_->condition(posterior.sites, prior_mean_, Compute::mean, q));
      EXPECT_EQ(q.alpha, posterior.alpha);
    }
}

TEST_P(Conformance, PredictionHasTheSameBitsForAnyNumberOfThreads) {
  make(60, 9);
  const auto conditional = engine_->condition(*kernel_, posterior_of(draw_sites(3, 0.2)));
  const Matrix Z = draw(700, 2, random_);
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
}

// Large enough for every loop to run in threads; without negative sites, which take long to draw.
TEST_P(Conformance, ThreadsDoNotDisturbTheAnswers) {
  const BlasThreads threads(3);
  make(820, 10);
  expect_explicit(draw_sites(1, 0), is_smooth() ? std::max(1e-7, twin().rounding) : 1e-7);
}

TEST_P(Conformance, SitesMayChangeOneByOne) {
  make(25, 11);
  Sites sites = draw_sites(2, 0.2);
  Conditioned q;
  ASSERT_TRUE(gram_->condition(sites, prior_mean_, Compute::marginals, q));
  const auto updates = gram_->one_by_one(sites, q);
  if (updates == nullptr) GTEST_SKIP() << "this engine has no updates of single sites";
  std::uniform_real_distribution<double> uniform(-0.3, 1);
  for (const Index i : {3, 7, 3, 24, 0}) {
    const double precision = uniform(random_), shift = uniform(random_);
    if (!updates->add(i, precision, shift)) continue;
    sites.precision[i] += precision;
    sites.shift[i] += shift;
  }
  const double mean = updates->mean(3), variance = updates->variance(3);
  EXPECT_FALSE(updates->add(3, -1.01 / variance, 1));  // improper
  EXPECT_FALSE(updates->add(3, std::nan(""), 1));
  EXPECT_FALSE(updates->add(3, 1, HUGE_VAL));
  EXPECT_EQ(updates->mean(3), mean);
  EXPECT_EQ(updates->variance(3), variance);
  ASSERT_TRUE(gram_->condition(sites, prior_mean_, Compute::marginals, q));
  for (Index i = 0; i < 25; ++i) {
    EXPECT_CLOSE(updates->mean(i), q.mean[i], 1e-9);
    EXPECT_CLOSE(updates->variance(i), q.variance[i], 1e-9);
  }
}

TEST_P(Conformance, ASubsetHasTheRowsThatWereAskedFor) {
  make(40, 12);
  const std::vector<Index> rows = {3, 7, 8, 30, 39};
  const auto part = engine_->subset(rows);
  EXPECT_EQ(part->inputs(), engine_->inputs()(rows, Eigen::all));
  const auto gram = part->make_gram();
  gram->build(*kernel_);
  Conditioned q;
  const Sites sites{Vector::Constant(5, 1e-12), Vector::Zero(5)};
  ASSERT_TRUE(gram->condition(sites, prior_mean_.head(5), Compute::marginals, q));
  EXPECT_CLOSE(q.variance, gram_->diagonal()(rows), 1e-9);
}

// What a model file holds of an engine is all of it.
TEST_P(Conformance, IsRestoredFromItsArrays) {
  make(40, 13);
  const Posterior posterior = posterior_of(draw_sites(2, 0.2));
  const auto X = std::make_shared<const Matrix>(engine_->inputs());
  const auto restored = restore_engine(engine_->options(), X, engine_->arrays());
  EXPECT_EQ(restored->options().name, engine_->options().name);
  EXPECT_EQ(restored->arrays().size(), engine_->arrays().size());
  const Matrix Z = draw(9, 2, random_);
  Vector shift, variance, shift_again, variance_again;
  engine_->condition(*kernel_, posterior)->predict(Z, shift, variance);
  restored->condition(*kernel_, posterior)->predict(Z, shift_again, variance_again);
  EXPECT_EQ(shift, shift_again);
  EXPECT_EQ(variance, variance_again);
  EXPECT_THROW(restore_engine(engine_->options(), X, {{"surprise", Matrix::Zero(2, 2)}}),
               DataError);
}

TEST_P(Conformance, CostIsForeseen) {
  make(40, 14);
  const EngineCost before = engine_cost(twin().options, 40, 2), after = engine_->cost();
  EXPECT_GE(before.bytes(3), after.bytes(3));
  EXPECT_EQ(before.threads_inside, after.threads_inside);
  EXPECT_GE(after.bytes(1), sizeof(double) * 40 * 2);
  EXPECT_GT(after.dense_rows, 0);
  EXPECT_GT(after.largest_matrix, 0);
  EXPECT_LE(engine_cost(twin().options, 1000, 2).bytes(1),
            engine_cost(twin().options, 2000, 2).bytes(1));
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         Conformance,
                         testing::Combine(testing::ValuesIn(engines()),
                                          testing::ValuesIn(kKernels)),
                         [](const auto& test) {
                           return std::get<0>(test.param).test_name + std::to_string(test.index);
                         });

TEST(Engines, AreAllInTheSuite) {
  for (const EngineEntry& entry : engine_table()) {
    // Its variances have what the points leave of each row, its b has not: those of no single prior.
    if (entry.name == "variational") continue;  // tests/inference/variational_test.cpp
    bool found = false;
    for (const Twin& twin : engines()) found = found || twin.options.name == entry.name;
    EXPECT_TRUE(found) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
  }
}

TEST(Engines, AreKnownByName) {
  const auto X = std::make_shared<const Matrix>(Matrix::Zero(3, 1));
  const Kernel kernel = Kernel::parse("rbf").bind(1);
  EXPECT_EQ(make_engine({}, X, kernel)->options().name, "dense");  // so few rows
  EXPECT_THROW(make_engine({.name = "steam"}, X, kernel), UsageError);
  EXPECT_THROW(make_engine({.inducing = -1}, X, kernel), UsageError);
  for (const auto accuracy : {EngineAccuracy::fast, EngineAccuracy::normal, EngineAccuracy::high})
    EXPECT_EQ(parse_accuracy(to_string(accuracy)), accuracy);
  EXPECT_THROW(parse_accuracy("perfect"), UsageError);
}

}  // namespace
}  // namespace ggpm::internal
