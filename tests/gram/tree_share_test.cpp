// A tree that ranks share gives the bits of one that is nobody else's.
#include "gram/tree_share.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <random>

#include "gram/tree_gram.hpp"
#include "support/thread_ranks.hpp"

namespace ggpm::internal {
namespace {

struct SharedCase {
  std::string name;
  Index n, d;
  TreeOptions options;
  double negative = 0;  // share of sites
};
std::ostream& operator<<(std::ostream& out, const SharedCase& c) { return out << c.name; }

const std::vector<SharedCase>& shared_cases() {
  static const std::vector<SharedCase> all = {
      {"Pruned", 1500, 2, {.cut = 16, .leaf = 30, .active = 24}, 0.1},
      {"RootPoints", 700, 3, {.cut = 10, .leaf = 30, .active = 14, .global = 20}},
      {"Pic", 600, 4, {.cut = 0, .leaf = 30, .active = 0, .global = 40}},
      {"Fitc", 90, 2, {.cut = 0, .leaf = 1, .active = 0, .global = 25}},
      {"FewerLeavesThanRanks", 80, 2, {.cut = 8, .leaf = 30, .active = 24}},
      {"OneLeaf", 25, 2, {.cut = 8, .leaf = 30, .active = 24}},
  };
  return all;
}

// Everything that an engine is asked, as one row of numbers.
std::vector<double> answers(const SharedCase& c) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const auto numbers = [&](Index rows, Index columns, auto& from) {
    return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return from(random); }));
  };
  const Matrix X = numbers(c.n, c.d, uniform), Z = numbers(70, c.d, uniform);
  Sites all{numbers(c.n, 1, uniform).array() + 0.1, numbers(c.n, 1, normal)};
  for (Index i = 0; i < c.n; ++i)
    if (uniform(random) < c.negative) all.precision[i] *= -0.05;
  const Vector all_means = numbers(c.n, 1, normal), all_v = numbers(c.n, 1, normal);
  const Kernel kernel = Kernel::parse("matern32(1.3, 0.4) + white(0.1)").bind(c.d);

  TreeGram gram(std::make_shared<TreeStructure>(X, Vector::Ones(c.d), c.options));
  const RowsHere& here = gram.rows();
  Sites sites{here.here(all.precision), here.here(all.shift)};
  const Vector mean = here.here(all_means), v = here.here(all_v);
  std::vector<double> out;
  const auto add = [&](const Matrix& x) { out.insert(out.end(), x.data(), x.data() + x.size()); };
  gram.build(kernel);
  Conditioned q;
  EXPECT_TRUE(gram.condition(sites, mean, Compute::marginals, q));
  out.push_back(q.log_det);
  for (const Vector* x : {&q.alpha, &q.mean, &q.b, &q.variance}) add(here.everywhere(*x));
  Vector product, shrunk = v;
  gram.multiply(v, product);
  gram.shrink(shrunk);
  add(here.everywhere(product));
  add(here.everywhere(shrunk));
  add(gram.pull_back(kernel, q.alpha, v));
  gram.build(kernel);
  EXPECT_TRUE(gram.condition(sites, mean, Compute::mean, q));
  const auto conditional = gram.take_conditional(kernel, q.alpha);
  Vector shift, variance;
  conditional->predict(Z, shift, variance);
  add(shift);
  add(variance);
  add(conditional->covariance(Z));
  // Too negative: every rank has to notice that one of them has no Gaussian.
  gram.build(kernel);
  all.precision[c.n / 2] = -1e6;
  sites.precision = here.here(all.precision);
  EXPECT_FALSE(gram.condition(sites, mean, Compute::mean, q));
  return out;
}

class SharedTree : public testing::TestWithParam<SharedCase> {};

TEST_P(SharedTree, HasTheSameBitsForAnyNumberOfRanks) {
  const std::vector<double> alone = answers(GetParam());
  for (const int size : {2, 3, 4, 8}) {
    std::mutex mutex;
    ThreadJob(size).run([&](int rank) {
      const std::vector<double> shared = answers(GetParam());
      const std::lock_guard lock(mutex);
      EXPECT_EQ(shared, alone) << "rank " << rank << " of " << size;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         SharedTree,
                         testing::ValuesIn(shared_cases()),
                         [](const auto& tested) { return tested.param.name; });

// Blocks of a leaf live on one rank: with eight of them, none holds more than a quarter.
TEST(SharedTree, MemoryIsSharedOut) {
  ThreadJob(8).run([](int) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform;
    const Matrix X = Matrix::NullaryExpr(2000, 2, [&] { return uniform(random); });
    const auto tree = std::make_shared<TreeStructure>(
        X, Vector::Ones(2), TreeOptions{.cut = 8, .leaf = 20, .active = 16});
    TreeGram gram(tree);
    gram.build(Kernel::parse("matern32(1, 0.3)").bind(2));
    Index held = 0;
    for (std::size_t i = 0; i < tree->leaves.size(); ++i)
      held += gram.prior().leaf(static_cast<Index>(i)).D.rows();
    EXPECT_GT(held, 0);
    EXPECT_LE(held, 2000 / 4);
    EXPECT_EQ(gram.size(), held);
    EXPECT_EQ(tree->X.rows(), held);
  });
}

}  // namespace
}  // namespace ggpm::internal
