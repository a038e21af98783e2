// The tree engine against the explicit matrix of the prior that it stands for.
#include "gram/tree_gram.hpp"

#include <gtest/gtest.h>

#include <random>

#include "gram/dense.hpp"
#include "gram/tree_features.hpp"
#include "parallel/threads.hpp"
#include "support/close.hpp"
#include "support/tree_twin.hpp"

namespace ggpm::internal {
namespace {

using testing_support::determinant_of;
using testing_support::eigenvalues_of;
using testing_support::inverse_of;
using testing_support::TreeTwin;

struct Case {
  std::string name;
  Index n = 200, d = 2;
  TreeOptions options;
  std::string kernel = "matern32(1.3, 0.4)";
  double negative = 0;  // share of sites
  std::string design = "uniform";
  bool features = false;  // points of single summands
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

// r 16, b 30, N 24: a tree of three levels that prunes.
const TreeOptions kSmall{.cut = 16, .leaf = 30, .active = 24};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"Pruned", 230, 2, kSmall},
      {"NegativeSites", 230, 2, kSmall, "matern32(1.3, 0.4)", 0.3},
      {"NothingPruned", 150, 2, {.cut = 8, .leaf = 30, .active = 200}},
      {"RootPoints", 200, 3, {.cut = 10, .leaf = 30, .active = 14, .global = 20}},
      {"Pic", 200, 4, {.cut = 0, .leaf = 30, .active = 0, .global = 40}, "rbf(0.7, 1.1)", 0.2},
      {"Fitc", 90, 2, {.cut = 0, .leaf = 1, .active = 0, .global = 25}, "matern52(2, 0.5)", 0.2},
      {"IndependentLeaves", 100, 2, {.cut = 0, .leaf = 30, .active = 0}},
      {"OneInput", 220, 1, {.cut = 8, .leaf = 20, .active = 14}, "matern32(1, 0.1)", 0.2},
      {"EightInputs", 200, 8, {.cut = 12, .leaf = 30, .active = 16, .global = 20}, "rbf(1, 2)"},
      {"WhiteNoise", 200, 2, kSmall, "matern32(1.3, 0.4) + white(0.2)", 0.1},
      {"SumAndProduct",
       200,
       2,
       kSmall,
       "linear(0.5) + constant(2) + matern52(1, 0.8) * periodic(1, 1.5, 0.7)"},
      {"Features",
       200,
       2,
       kSmall,
       "linear(0.5) + matern52(1, 0.4) + constant(2) + periodic(1, 1.5, 0.3, columns=[2])",
       0.2,
       "uniform",
       true},
      {"Duplicates", 200, 2, kSmall, "matern32(1.3, 0.4)", 0.1, "duplicates"},
      {"ZeroOne", 200, 3, kSmall, "matern32(1.3, 0.9)", 0, "binary"},
      {"Grid", 225, 2, kSmall, "matern32(1.3, 0.4)", 0, "grid"},
      {"AllRowsEqual", 100, 2, kSmall, "matern32(1.3, 0.4)", 0, "one"},
      {"FewerRowsThanALeaf", 25, 2, kSmall, "matern32(1.3, 0.4)", 0.2},
      {"OneRow", 1, 1, kSmall},
  };
  return all;
}

Matrix design_of(const Case& c, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  Matrix X = Matrix::NullaryExpr(c.n, c.d, [&] { return uniform(random); });
  if (c.design == "duplicates")
    for (Index i = 0; i < c.n; ++i) X.row(i) = X.row(i % 40).eval();
  if (c.design == "binary") X.rightCols(2) = (X.rightCols(2).array() > 0.8).cast<double>().matrix();
  if (c.design == "grid") X = (X.array() * 6).floor().matrix() / 6;
  if (c.design == "one") X.setConstant(0.5);
  return X;
}

struct Fixture {
  explicit Fixture(const Case& c) : random(7), kernel(Kernel::parse(c.kernel).bind(c.d)) {
    X = design_of(c, random);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    TreeOptions options = c.options;
    if (c.features) {
      const TreeFeatures found = find_features(kernel, X, 50);
      options.features = found.points;
      options.terms = found.terms;
    }
    tree = std::make_shared<TreeStructure>(X, Vector::Ones(c.d), options);
    sites.precision.resize(c.n);
    sites.shift.resize(c.n);
    mean.resize(c.n);
    v.resize(c.n);
    for (Index i = 0; i < c.n; ++i) {
      const bool negative = uniform(random) < c.negative;
      sites.precision[i] = negative ? -0.02 * uniform(random) : 0.05 + 3 * uniform(random);
      sites.shift[i] = sites.precision[i] * normal(random) + 0.1 * normal(random);
      mean[i] = 0.3 * normal(random);
      v[i] = 0.3 * normal(random);
    }
  }
  std::mt19937_64 random;
  Kernel kernel;
  Matrix X;
  std::shared_ptr<const TreeStructure> tree;
  Sites sites;
  Vector mean, v;
};

class TreeGramCase : public testing::TestWithParam<Case> {};

TEST_P(TreeGramCase, EqualsTheExplicitPrior) {
  const Fixture f(GetParam());
  const Index n = f.X.rows();
  const Matrix K = TreeTwin(*f.tree, f.kernel).covariance(f.X);
  const Matrix I = Matrix::Identity(n, n), P = f.sites.precision.asDiagonal();
  const Matrix shrink = inverse_of(I + P * K), V = K * shrink;
  const Vector alpha = shrink * (f.sites.shift - P * f.mean);

  TreeGram gram(f.tree);
  gram.build(f.kernel);
  EXPECT_CLOSE(gram.diagonal(), K.diagonal(), 1e-12);
  Vector Kv;
  gram.multiply(f.v, Kv);
  EXPECT_CLOSE(Kv, K * f.v, 1e-7);
  Conditioned q;
  ASSERT_TRUE(gram.condition(f.sites, f.mean, Compute::marginals, q));
  EXPECT_CLOSE(q.log_det, std::log(determinant_of(I + P * K)), 1e-7);
  EXPECT_CLOSE(q.alpha, alpha, 1e-7);
  EXPECT_CLOSE(q.mean, f.mean + K * alpha, 1e-7);
  EXPECT_CLOSE(q.b, shrink.diagonal(), 1e-7);
  EXPECT_CLOSE(q.variance, V.diagonal(), 1e-7);
  EXPECT_EQ(gram.jitter(), 0);
  Vector x = f.v;
  gram.shrink(x);
  EXPECT_CLOSE(x, shrink * f.v, 1e-7);
}

// -1/2 log|I + K P| + 1/2 alpha' x + v' K alpha0 moves with K as pull_back says, x = shift - P m.
TEST_P(TreeGramCase, HasTheGradientOfItsPrior) {
  const Fixture f(GetParam());
  TreeGram gram(f.tree);
  Conditioned q;
  gram.build(f.kernel);
  ASSERT_TRUE(gram.condition(f.sites, f.mean, Compute::mean, q));
  const Vector alpha = q.alpha, gradient = gram.pull_back(f.kernel, alpha, f.v);

  std::vector<double> values;
  for (const Parameter& p : f.kernel.parameters()) values.push_back(p.value);
  ASSERT_EQ(gradient.size(), Index(values.size()));
  const Vector x = f.sites.shift - f.sites.precision.cwiseProduct(f.mean);
  const auto value = [&](std::size_t k, double h) {
    std::vector<double> moved = values;
    moved[k] *= std::exp(h);
    gram.build(f.kernel.with_values(moved));
    Conditioned at;
    EXPECT_TRUE(gram.condition(f.sites, f.mean, Compute::mean, at));
    Vector Kalpha;
    // The quadratic form of log N(t; m, K + W) in a form for P of any sign: its derivative is
    // 1/2 alpha' dK alpha.
    gram.multiply(alpha, Kalpha);
    Vector shrunk = x;
    gram.shrink(shrunk);
    Vector VKx;
    gram.multiply(shrunk, VKx);
    return -0.5 * at.log_det + 0.5 * x.dot(VKx) + f.v.dot(Kalpha);
  };
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double h = 1e-4;
    const double difference =
        (8 * (value(k, h) - value(k, -h)) - (value(k, 2 * h) - value(k, -2 * h))) / (12 * h);
    EXPECT_CLOSE(gradient[Index(k)], difference, 1e-5) << f.kernel.parameters()[k].name;
  }
}

TEST_P(TreeGramCase, PredictsAsTheJointGaussian) {
  Fixture f(GetParam());
  std::uniform_real_distribution<double> uniform(-0.1, 1.1);
  Matrix Z = Matrix::NullaryExpr(23, f.X.cols(), [&] { return uniform(f.random); });
  Z.row(3) = f.X.row(0);
  const Index n = f.X.rows(), m = Z.rows();
  const Matrix all = TreeTwin(*f.tree, f.kernel).covariance(f.X, Z);
  const Matrix K = all.topLeftCorner(n, n), k = all.topRightCorner(n, m);
  const Matrix P = f.sites.precision.asDiagonal(), I = Matrix::Identity(n, n);
  const Matrix shrink = inverse_of(I + P * K);
  const Matrix C = all.bottomRightCorner(m, m) - k.transpose() * shrink * P * k;

  Posterior posterior;
  posterior.sites = f.sites;
  posterior.alpha = shrink * (f.sites.shift - P * f.mean);
  const auto conditional = make_tree_conditional(f.tree, f.kernel, posterior);
  Vector shift, variance;
  conditional->predict(Z, shift, variance);
  EXPECT_CLOSE(shift, k.transpose() * posterior.alpha, 1e-7);
  EXPECT_CLOSE(variance, C.diagonal(), 1e-7);
  EXPECT_CLOSE(conditional->covariance(Z), C, 1e-7);
}

TEST_P(TreeGramCase, IsRestoredFromArrays) {
  const Fixture f(GetParam());
  const TreeStructure restored(f.X, f.tree->arrays());
  EXPECT_EQ(restored.order, f.tree->order);
  EXPECT_EQ(restored.tasks, f.tree->tasks);
  EXPECT_EQ(restored.scale, f.tree->scale);
  ASSERT_EQ(restored.fronts.size(), f.tree->fronts.size());
  for (std::size_t i = 0; i < restored.fronts.size(); ++i) {
    EXPECT_EQ(restored.fronts[i].points, f.tree->fronts[i].points);
    EXPECT_EQ(restored.fronts[i].kept, f.tree->fronts[i].kept);
    EXPECT_EQ(restored.fronts[i].parent, f.tree->fronts[i].parent);
  }
  ASSERT_EQ(restored.leaves.size(), f.tree->leaves.size());
  for (std::size_t i = 0; i < restored.leaves.size(); ++i)
    EXPECT_EQ(restored.leaves[i].front, f.tree->leaves[i].front);
  for (Index i = 0; i < f.X.rows(); ++i)
    EXPECT_EQ(restored.leaf_of(f.X, i), f.tree->leaf_of(f.X, i));
}

INSTANTIATE_TEST_SUITE_P(All, TreeGramCase, testing::ValuesIn(cases()), [](const auto& each) {
  return each.param.name;
});

TEST(TreeGram, PredictsAtTrainingRowsWhatItKnowsOfThem) {
  for (const Case& c : cases()) {
    if (c.kernel.find("white") != std::string::npos || c.name == "AllRowsEqual") continue;
    const Fixture f(c);
    TreeGram gram(f.tree);
    gram.build(f.kernel);
    Conditioned q;
    ASSERT_TRUE(gram.condition(f.sites, f.mean, Compute::marginals, q));
    Posterior posterior;
    posterior.sites = f.sites;
    posterior.alpha = q.alpha;
    Vector shift, variance;
    make_tree_conditional(f.tree, f.kernel, posterior)->predict(f.X, shift, variance);
    EXPECT_CLOSE(f.mean + shift, q.mean, 1e-9) << c.name;
    EXPECT_CLOSE(variance, q.variance, 1e-9) << c.name;
  }
}

TEST(TreeGram, OfOneLeafIsTheDenseEngine) {
  Case c{"", 60, 2, {.cut = 16, .leaf = 60, .active = 24, .global = 10}, "rbf(1.2, 0.5)", 0.3};
  const Fixture f(c);
  TreeGram tree(f.tree);
  DenseGram dense(f.X);
  Conditioned a, b;
  for (Gram* gram : {static_cast<Gram*>(&tree), static_cast<Gram*>(&dense)}) {
    gram->build(f.kernel);
    ASSERT_TRUE(gram->condition(f.sites, f.mean, Compute::marginals, gram == &tree ? a : b));
  }
  EXPECT_CLOSE(a.log_det, b.log_det, 1e-13);
  EXPECT_CLOSE(a.alpha, b.alpha, 1e-13);
  EXPECT_CLOSE(a.mean, b.mean, 1e-13);
  EXPECT_CLOSE(a.b, b.b, 1e-13);
  EXPECT_CLOSE(a.variance, b.variance, 1e-13);
  EXPECT_CLOSE(
      tree.pull_back(f.kernel, a.alpha, f.v), dense.pull_back(f.kernel, b.alpha, f.v), 1e-11);
}

TEST(TreeGram, IsProperExactlyIfThePosteriorPrecisionIsPositiveDefinite) {
  int proper = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Case c{"", 60, 2, {.cut = 6, .leaf = 10, .active = 8}, "matern32(1, 0.4)"};
    Fixture f(c);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    for (double& p : f.sites.precision)
      p = uniform(random) < 0.3 ? -1.3 * uniform(random) : uniform(random);
    const Matrix K = TreeTwin(*f.tree, f.kernel).covariance(f.X);
    const Matrix precision = inverse_of(K) + Matrix(f.sites.precision.asDiagonal());
    const double smallest = eigenvalues_of(precision)[0];
    TreeGram gram(f.tree);
    gram.build(f.kernel);
    Conditioned q;
    EXPECT_EQ(gram.condition(f.sites, f.mean, Compute::mean, q), smallest > 0) << "seed " << seed;
    proper += smallest > 0;
  }
  EXPECT_GT(proper, 10);
  EXPECT_LT(proper, 90);
}

TEST(TreeGram, HasTheSameBitsForAnyNumberOfThreads) {
  for (const Index global : {0, 30}) {
    Case c{"", 3000, 2, {.cut = 16, .leaf = 30, .active = 24, .global = global}};
    if (global > 0) c.options.cut = 0;
    c.negative = 0.1;
    const Fixture f(c);
    Conditioned first;
    Vector gradient, shift, variance;
    for (const int count : {1, 2, 4}) {
      const BlasThreads threads(count);
      TreeGram gram(f.tree);
      gram.build(f.kernel);
      Conditioned q;
      ASSERT_TRUE(gram.condition(f.sites, f.mean, Compute::marginals, q));
      Posterior posterior;
      posterior.sites = f.sites;
      posterior.alpha = q.alpha;
      const Vector g = gram.pull_back(f.kernel, q.alpha, f.v);
      Vector s, var;
      make_tree_conditional(f.tree, f.kernel, posterior)->predict(f.X, s, var);
      if (count == 1) {
        first = q;
        gradient = g;
        shift = s;
        variance = var;
      }
      EXPECT_EQ(first.log_det, q.log_det);
      EXPECT_EQ(first.alpha, q.alpha);
      EXPECT_EQ(first.mean, q.mean);
      EXPECT_EQ(first.b, q.b);
      EXPECT_EQ(first.variance, q.variance);
      EXPECT_EQ(gradient, g);
      EXPECT_EQ(shift, s);
      EXPECT_EQ(variance, var);
    }
  }
}

// n measurements of one number, spread over leaves.
TEST(TreeGram, KnowsWhatDuplicatesSay) {
  const Index n = 300;
  const Matrix X = Matrix::Constant(n, 1, 2.0);
  const auto tree = std::make_shared<TreeStructure>(X, Vector::Ones(1), kSmall);
  const Kernel kernel = Kernel::parse("rbf(1, 1)").bind(1);
  TreeGram gram(tree);
  for (const double precision : {1e-12, 1e-3, 1.0, 1e4}) {
    gram.build(kernel);
    Sites sites{Vector::Constant(n, precision), Vector::Constant(n, 2 * precision)};
    Conditioned q;
    ASSERT_TRUE(gram.condition(sites, Vector::Zero(n), Compute::marginals, q));
    const double posterior = 1 / (1 + double(n) * precision);
    EXPECT_CLOSE(q.variance / posterior, Vector::Ones(n), 1e-2);
    EXPECT_CLOSE(q.mean, Vector::Constant(n, 2 * double(n) * precision * posterior), 1e-5);
    EXPECT_GT(q.b.minCoeff(), 0);
  }
}

TEST(TreeGram, RefusesWhatIsNotFinite) {
  Case c{"", 100, 2, kSmall};
  Fixture f(c);
  TreeGram gram(f.tree);
  Conditioned q;
  gram.build(f.kernel);
  Sites bad = f.sites;
  bad.precision[50] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(gram.condition(bad, f.mean, Compute::mean, q));
  bad = f.sites;
  bad.shift[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(gram.condition(bad, f.mean, Compute::mean, q));
  gram.build(
      Kernel::parse("linear(1e100) * linear(1e100) * linear(1e100) * linear(1e100)").bind(2));
  EXPECT_THROW(gram.condition(f.sites, f.mean, Compute::mean, q), NumericalError);
}

// A leaf of all rows would ask for their dense covariance.
TEST(TreeGram, OfALeafThatNoEngineMakesIsRefused) {
  const Index n = 5000;
  const Matrix X = Matrix::Random(n, 2);
  NamedArrays arrays =
      TreeStructure(X, Vector::Ones(2), {.cut = 16, .leaf = 100, .active = 24}).arrays();
  for (NamedArray& array : arrays) {
    if (array.name == "nodes") {
      array.values = Matrix::Zero(1, 6);
      array.values.row(0).head(4) << double(n), -1, 0, -1;
    }
    if (array.name == "points") array.values.resize(0, 2);
    if (array.name == "kept") array.values.resize(0, 1);
  }
  try {
    const TreeStructure tree(X, arrays);
    FAIL() << "a leaf of " << tree.leaves.front().rows() << " rows";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("leaf of 5000 rows"), std::string::npos);
  }
}

// Whatever one number of the arrays becomes, the answer is an error or a sound structure.
TEST(TreeGram, OfDamagedArraysIsRefused) {
  const Fixture f(cases().front());
  const NamedArrays good = f.tree->arrays();
  int refused = 0, tried = 0;
  for (std::size_t a = 0; a < good.size(); ++a)
    for (Index i = 0; i < good[a].values.size(); i += 1 + good[a].values.size() / 40)
      for (const double bad : {-1.0, 0.5, 1e18, std::nan("")}) {
        NamedArrays arrays = good;
        arrays[a].values.data()[i] = bad;
        ++tried;
        try {
          const TreeStructure tree(f.X, arrays);
          EXPECT_EQ(tree.leaves.back().end, f.X.rows());
        } catch (const DataError&) {
          ++refused;
        }
      }
  EXPECT_GT(refused, tried / 2);
  for (std::size_t a = 0; a < good.size(); ++a) {
    NamedArrays fewer = good, shorter = good;
    fewer.erase(fewer.begin() + Index(a));
    shorter[a].values.conservativeResize(shorter[a].values.rows() - 1, Eigen::NoChange);
    EXPECT_THROW(TreeStructure(f.X, fewer), DataError) << good[a].name;
    EXPECT_THROW(TreeStructure(f.X, shorter), DataError) << good[a].name;
    NamedArrays without = good;  // as many rows as there should be, and nothing in them
    without[a].values.resize(std::max(good[a].values.rows(), Index{1}), 0);
    EXPECT_THROW(TreeStructure(f.X, without), DataError) << good[a].name;
  }
}

}  // namespace
}  // namespace ggpm::internal
