#include "learn/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "numeric/random.hpp"

namespace ggpm::internal {
namespace {

Matrix uniform_rows(Index n, Index d) {
  std::mt19937_64 random = numeric::random_stream(1, 0);
  Matrix X(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) X(i, j) = numeric::uniform(random);
  return X;
}

double median_distance_to_nearest(const Matrix& X, const std::vector<Index>& rows) {
  std::vector<double> nearest;
  for (const Index a : rows) {
    double best = std::numeric_limits<double>::infinity();
    for (const Index b : rows)
      if (a != b) best = std::min(best, (X.row(a) - X.row(b)).norm());
    nearest.push_back(best);
  }
  std::sort(nearest.begin(), nearest.end());
  return nearest[nearest.size() / 4];
}

TEST(Parts, AreOfTheAskedSizeInOrderAndTheSameForASeed) {
  for (const Index n : {600, 5000, 20'000}) {
    const Matrix X = uniform_rows(n, 2);
    const std::vector<Index> rows = part_of_rows(X, 500, 3);
    EXPECT_EQ(std::ssize(rows), 500) << n;
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), 500U);
    EXPECT_EQ(rows, part_of_rows(X, 500, 3));
    EXPECT_NE(rows, part_of_rows(X, 500, 4));
  }
  EXPECT_TRUE(part_of_rows(uniform_rows(500, 2), 500, 1).empty());  // all of them
}

TEST(Parts, OfManyRowsHaveNeighborsThatShowAShortLengthscale) {
  const Matrix X = uniform_rows(20'000, 2);
  const std::vector<Index> random = numeric::some_of(20'000, 500, 1);
  EXPECT_LT(median_distance_to_nearest(X, part_of_rows(X, 500, 1)),
            0.5 * median_distance_to_nearest(X, random));
}

TEST(Parts, DoWithInputsThatAreConstantOrEqual) {
  Matrix X = Matrix::Constant(5000, 2, 3.0);
  EXPECT_EQ(std::ssize(part_of_rows(X, 500, 1)), 500);
}

TEST(Parts, GrowByNoMoreThanTheyMay) {
  EXPECT_EQ(growing_parts(300), std::vector<Index>{300});
  EXPECT_EQ(growing_parts(650), std::vector<Index>{650});
  for (const Index n : {1000, 4000, 100'000, 1'000'000}) {
    const std::vector<Index> sizes = growing_parts(n);
    EXPECT_EQ(sizes.front(), 500);
    EXPECT_EQ(sizes.back(), n);
    for (std::size_t k = 1; k < sizes.size(); ++k) {
      EXPECT_GT(sizes[k], sizes[k - 1]);
      EXPECT_LE(sizes[k], 7 * sizes[k - 1] + 7);
    }
  }
}

}  // namespace
}  // namespace ggpm::internal
