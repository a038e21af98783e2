#include "gram/tree_structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "gram/tree_points.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

Matrix uniform(Index n, Index d, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> draw;
  return Matrix::NullaryExpr(n, d, [&] { return draw(random); });
}

// Every row once, leaves small enough and in order, active points those of the parent.
void expect_sound(const TreeStructure& tree, const Matrix& X, const TreeOptions& options) {
  std::vector<Index> rows = tree.order;
  std::sort(rows.begin(), rows.end());
  for (Index i = 0; i < X.rows(); ++i) ASSERT_EQ(rows[std::size_t(i)], i);
  Index next = 0;
  for (const TreeLeaf& leaf : tree.leaves) {
    EXPECT_EQ(leaf.begin, next);
    EXPECT_GT(leaf.rows(), 0);
    EXPECT_LE(leaf.rows(), options.leaf);
    next = leaf.end;
  }
  EXPECT_EQ(next, X.rows());
  for (std::size_t i = 1; i < tree.fronts.size(); ++i) {
    const TreeFront& front = tree.fronts[i];
    const Matrix& parent = tree.fronts[std::size_t(front.parent)].points;
    EXPECT_LT(front.parent, Index(i));
    EXPECT_LE(front.active, options.active + options.global);
    EXPECT_LE(front.own(), options.cut);
    for (Index k = 0; k < front.active; ++k)
      EXPECT_EQ(front.points.row(k), parent.row(front.pruned() ? front.kept[std::size_t(k)] : k));
    for (Index k = 0; k < std::min(options.global, front.active); ++k)
      EXPECT_EQ(front.points.row(k), tree.fronts[0].points.row(k));
  }
  for (std::size_t t = 1; t < tree.tasks.size(); ++t)
    EXPECT_EQ(tree.nodes[std::size_t(tree.tasks[t - 1])].end,
              tree.nodes[std::size_t(tree.tasks[t])].begin);
}

TEST(TreeStructure, CoversEveryRowOnce) {
  for (const Index d : {1, 2, 3, 8})
    for (const Index n : {1, 30, 31, 61, 1000}) {
      const Matrix X = uniform(n, d, 1);
      const TreeOptions options{.cut = 8, .leaf = 30, .active = 20, .global = d > 2 ? 10 : 0};
      expect_sound(TreeStructure(X, Vector::Ones(d), options), X, options);
    }
}

TEST(TreeStructure, FillsItsLeaves) {
  const Matrix X = uniform(129 * 7, 2, 2);
  const TreeStructure tree(X, Vector::Ones(2), {.cut = 0, .leaf = 129});
  EXPECT_EQ(tree.leaves.size(), 7u);
}

TEST(TreeStructure, KeepsEqualRowsInOneLeaf) {
  Matrix X = uniform(400, 3, 3);
  X = (X.array() * 3).floor().matrix();  // 27 different rows
  X.col(2) = (X.col(2).array() > 1).cast<double>();
  const TreeOptions options{.cut = 8, .leaf = 40, .active = 20};
  const TreeStructure tree(X, Vector::Ones(3), options);
  expect_sound(tree, X, options);
  std::vector<Index> leaf(400);
  for (std::size_t l = 0; l < tree.leaves.size(); ++l)
    for (Index i = tree.leaves[l].begin; i < tree.leaves[l].end; ++i)
      leaf[std::size_t(tree.order[std::size_t(i)])] = Index(l);
  for (Index i = 0; i < 400; ++i) {
    EXPECT_EQ(tree.leaf_of(X, i), leaf[std::size_t(i)]);
    for (Index j = 0; j < i; ++j)
      EXPECT_TRUE(X.row(i) != X.row(j) || leaf[std::size_t(i)] == leaf[std::size_t(j)]);
  }
}

TEST(TreeStructure, CutsRowsOfWhichAllAreEqual) {
  const Matrix X = Matrix::Constant(1000, 2, 0.25);
  const TreeOptions options{.cut = 8, .leaf = 10, .active = 20};
  const TreeStructure tree(X, Vector::Ones(2), options);
  expect_sound(tree, X, options);
  EXPECT_LE(tree.leaves.size(), 110u);
}

TEST(TreeStructure, CutsAlongTheWidestInputInUnitsOfItsScale) {
  const Matrix X = uniform(200, 2, 4);
  const TreeOptions options{.cut = 8, .leaf = 100, .active = 20};
  EXPECT_EQ(TreeStructure(X, Vector{{0.1, 1}}, options).nodes[0].cut.first, 0);
  EXPECT_EQ(TreeStructure(X, Vector{{1, 0.1}}, options).nodes[0].cut.first, 1);
  const TreeStructure tree(X, Vector{{0.1, 1}}, options);
  EXPECT_LT((tree.fronts[0].points.col(0).array() - tree.nodes[0].cut.pivot[0]).abs().maxCoeff(),
            0.1);
}

TEST(TreeStructure, DependsOnItsSeedAlone) {
  const Matrix X = uniform(500, 3, 5);
  TreeOptions options{.cut = 8, .leaf = 50, .active = 20};
  const TreeStructure a(X, Vector::Ones(3), options), b(X, Vector::Ones(3), options);
  options.seed = 2;
  const TreeStructure other(X, Vector::Ones(3), options);
  ASSERT_EQ(a.fronts.size(), b.fronts.size());
  for (std::size_t i = 0; i < a.fronts.size(); ++i)
    EXPECT_EQ(a.fronts[i].points, b.fronts[i].points);
  EXPECT_NE(a.fronts[0].points, other.fronts[0].points);
}

TEST(KmeansCenters, AreTheRowsWhereThereAreFew) {
  Matrix X(4, 2);
  X << 1, 2, 3, 4, 1, 2, 5, 6;
  EXPECT_EQ(kmeans_centers(X, 3, 1).rows(), 3);
  EXPECT_EQ(kmeans_centers(X, 10, 1).rows(), 3);
}

TEST(KmeansCenters, FindClusters) {
  Matrix X = uniform(300, 2, 6) * 0.01;
  for (Index i = 0; i < 300; ++i) X(i, 0) += double(i % 3);
  const Matrix centers = kmeans_centers(X, 30, 1);
  EXPECT_EQ(centers.rows(), 30);
  for (double x : centers.col(0)) EXPECT_LT(std::abs(x - std::round(x) - 0.005), 0.006);
}

}  // namespace
}  // namespace ggpm::internal
