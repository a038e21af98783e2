// Terms that do not fade with distance, on a tree.
#include "gram/tree_features.hpp"

#include <gtest/gtest.h>

#include <random>

#include "gram/engine.hpp"
#include "gram/engine_check.hpp"

namespace ggpm::internal {
namespace {

// Inputs uniform in the unit square; the last column is one of seven levels.
Matrix inputs(Index n) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  Matrix X = Matrix::NullaryExpr(n, 3, [&] { return uniform(random); });
  X.col(2) = (7 * X.col(2).array()).floor();
  return X;
}

Posterior condition(const Engine& engine, const Kernel& kernel, double precision = 1) {
  const Index n = engine.size();
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  Posterior out;
  out.sites = {Vector::Constant(n, precision),
               Vector::NullaryExpr(n, [&] { return 2 * std::sqrt(precision) * normal(random); })};
  out.prior_mean = Vector::Zero(n);
  const auto gram = engine.make_gram();
  gram->build(kernel);
  Conditioned q;
  EXPECT_TRUE(gram->condition(out.sites, out.prior_mean, Compute::marginals, q));
  out.alpha = q.alpha;
  out.mean = q.mean;
  out.variance = q.variance;
  return out;
}

// Against the dense engine, which is what the check asks where rows are few.
EngineCheck error_of(const std::string& text) {
  const Kernel kernel = Kernel::parse(text).bind(3);
  const auto X = std::make_shared<const Matrix>(inputs(1500));
  const auto engine = make_engine({.name = "tree"}, X, kernel);
  const auto check = check_engine(*engine, kernel, condition(*engine, kernel));
  EXPECT_TRUE(check.has_value());
  EXPECT_EQ(check->rows, 1500);
  return *check;
}

TEST(TreeFeatures, SumsWithGlobalTermsAreAsNearAsTheFadingTermAlone) {
  const std::string fading = "matern32(1, 0.1, columns=[1, 2])";
  const double alone = error_of(fading).mean_rms_sd;
  EXPECT_LT(alone, 0.03);
  for (const char* term : {"constant(4)",
                           "linear(2, columns=[1, 2])",
                           "periodic(1, 1, 0.25, columns=[1])",
                           "group(1, columns=[3])"})
    EXPECT_LT(error_of(fading + " + " + term).mean_rms_sd, 1.5 * alone + 0.003) << term;
}

// Strong outputs tell small parts of a large term from zero: the second harmonic of this one has 1e-7 of its variance.
TEST(TreeFeatures, ATermThatIsNearlyConstantKeepsItsSmallParts) {
  const Kernel kernel = Kernel::parse("matern32(0.5, 0.05) + periodic(1000, 80, 0.01)").bind(1);
  const auto X = std::make_shared<const Matrix>(inputs(1500).leftCols(1));
  const auto engine = make_engine({.name = "tree"}, X, kernel);
  const auto check = check_engine(*engine, kernel, condition(*engine, kernel, 1000));
  ASSERT_TRUE(check.has_value());
  EXPECT_LT(check->mean_rms_sd, 1e-4);
}

// Without points of its own the same function, written so that no summand is periodic, is far off:
// what the check is for.
TEST(TreeFeatures, TheCheckSeesWhatIsLostWithoutThem) {
  const std::string fading = "matern32(1, 0.1, columns=[1, 2])";
  EXPECT_GT(error_of(fading + " + periodic(1, 1, 0.25, columns=[1]) * constant(1)").mean_rms_sd,
            0.1);
}

TEST(TreeFeatures, ATermHasAsManyPointsAsItHasDegreesOfFreedom) {
  const Matrix X = inputs(300);
  const auto points = [&](const char* text) {
    const TreeFeatures found = find_features(Kernel::parse(text).bind(3), X, 100);
    EXPECT_EQ(found.points.rows(), std::ssize(found.terms));
    return found.points.rows();
  };
  EXPECT_EQ(points("matern32 + constant"), 1);
  EXPECT_EQ(points("constant + matern32 + linear(1, columns=[1, 2])"), 3);
  EXPECT_EQ(points("matern32 + group(1, columns=[3])"), 7);
  EXPECT_EQ(points("matern32 + poly(1, 1, 2, columns=[1])"), 3);
  EXPECT_EQ(points("matern32 + rbf(1, 10) + white(0.1)"), 0);
}

TEST(TreeFeatures, ATermOfTooManyDegreesOfFreedomHasNone) {
  const TreeFeatures found =
      find_features(Kernel::parse("matern32 + periodic(1, 0.01, 1)").bind(3), inputs(300), 50);
  EXPECT_EQ(found.points.rows(), 0);
  EXPECT_EQ(found.fading.size(), 2u);
}

TEST(EngineCheck, AnExactEngineHasNone) {
  const Kernel kernel = Kernel::parse("rbf").bind(3);
  const auto engine = make_engine({}, std::make_shared<const Matrix>(inputs(50)), kernel);
  EXPECT_FALSE(check_engine(*engine, kernel, condition(*engine, kernel)).has_value());
}

// Beyond the rows of a dense engine the reference is a finer tree.
TEST(EngineCheck, AFinerTreeTellsTheErrorOfACoarseOne) {
  const Kernel kernel = Kernel::parse("matern32(1, 0.15, columns=[1, 2])").bind(3);
  const auto X = std::make_shared<const Matrix>(inputs(3000));
  const auto engine = make_engine({.name = "tree", .accuracy = EngineAccuracy::fast}, X, kernel);
  const Posterior q = condition(*engine, kernel);
  const auto check = check_engine(*engine, kernel, q);
  ASSERT_TRUE(check.has_value());
  const Posterior truth = condition(*make_engine({.name = "dense"}, X, kernel), kernel);
  const double error =
      ((q.mean - truth.mean).array() / truth.variance.array().sqrt()).matrix().norm() /
      std::sqrt(3000.0);
  EXPECT_GT(check->mean_rms_sd, 0.7 * error);
  EXPECT_LT(check->mean_rms_sd, 2 * error);
}

// Of many rows windows are compared with a finer tree of their own, whose rows have all the sites that matter.
TEST(SlowEngineCheck, WindowsTellTheErrorOfManyRows) {
  const Kernel kernel = Kernel::parse("matern32(1, 0.1, columns=[1, 2])").bind(3);
  const auto X = std::make_shared<const Matrix>(inputs(40'000));
  const auto engine = make_engine({.name = "tree", .accuracy = EngineAccuracy::fast}, X, kernel);
  const Posterior q = condition(*engine, kernel);
  const auto check = check_engine(*engine, kernel, q);
  ASSERT_TRUE(check.has_value());
  const Posterior finer = condition(*engine->finer(), kernel);
  const double error =
      ((q.mean - finer.mean).array() / finer.variance.array().sqrt()).matrix().norm() /
      std::sqrt(40'000.0);
  EXPECT_GT(check->mean_rms_sd, 0.7 * error);
  EXPECT_LT(check->mean_rms_sd, 1.4 * error);
}

}  // namespace
}  // namespace ggpm::internal
