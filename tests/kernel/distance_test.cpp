#include "kernel/tiles/distance.hpp"

#include <functional>

#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

using kern::Block;
using kern::Distance;
using kern::Inputs;
using kern::Tile;

using Make = std::function<std::unique_ptr<Distance>(const Inputs&, const Vector&)>;

// All squared distances, in blocks of an odd size.
Matrix all_distances(const Make& make, const Matrix& X, const Matrix& Z, const Vector& scale) {
  const auto distance = make({X, Z, false}, scale);
  Matrix out(X.rows(), Z.rows());
  Tile tile;
  for (Index i = 0; i < X.rows(); i += 37)
    for (Index j = 0; j < Z.rows(); j += 29) {
      const Block block{i, j, std::min<Index>(37, X.rows() - i), std::min<Index>(29, Z.rows() - j)};
      distance->squared(block, tile);
      out.block(i, j, block.rows, block.cols) = tile.matrix();
    }
  return out;
}

double largest_relative_error(const Matrix& r2,
                              const Matrix& X,
                              const Matrix& Z,
                              const Vector& scale) {
  double worst = 0;
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < Z.rows(); ++j) {
      long double exact = 0;
      for (Index d = 0; d < X.cols(); ++d) {
        const long double difference = (static_cast<long double>(X(i, d)) - Z(j, d)) * scale(d);
        exact += difference * difference;
      }
      if (exact == 0) {
        EXPECT_EQ(r2(i, j), 0) << i << ", " << j;
        continue;
      }
      worst = std::max(worst, std::abs(static_cast<double>((r2(i, j) - exact) / exact)));
    }
  return worst;
}

// Rows with duplicates, close pairs 1e-9 to 1e-1 apart, and two clusters far apart.
Matrix awkward_rows(Random& random, Index inputs, double offset) {
  Matrix X = random.matrix(100, inputs);
  X.middleRows(20, 20) = X.topRows(20);
  for (Index i = 0; i < 20; ++i)
    X.row(40 + i) = X.row(i) + std::pow(10.0, -9 + 0.4 * double(i)) * random.matrix(1, inputs);
  X.bottomRows(20).array() += 1e3;
  return X.array() + offset;
}

TEST(Distance, KeepsTwelveDigitsAtEveryOffset) {
  Random random(1);
  SCOPED_TRACE(random.trace());
  for (const double offset : {0.0, 1.0, 1e6, -1e6})
    for (const Index d : {1, 3, 8, 40}) {
      const Matrix X = awkward_rows(random, d, offset), Z = awkward_rows(random, d, offset);
      const Vector scale =
          Vector::NullaryExpr(d, [&](Index) { return random.log_uniform(0.1, 10); });
      for (const Make& make :
           {Make(kern::make_direct_distance), Make(kern::make_product_distance)}) {
        EXPECT_LT(largest_relative_error(all_distances(make, X, Z, scale), X, Z, scale), 1e-12)
            << "offset " << offset << ", " << d << " inputs";
        EXPECT_LT(largest_relative_error(all_distances(make, X, X, scale), X, X, scale), 1e-12)
            << "offset " << offset << ", " << d << " inputs";
      }
    }
}

TEST(Distance, PullsBackTheSameByDifferencesAndByProduct) {
  Random random(2);
  SCOPED_TRACE(random.trace());
  for (const double offset : {0.0, 1e6})
    for (const Index d : {1, 8, 40}) {
      const Matrix X = awkward_rows(random, d, offset), Z = awkward_rows(random, d, offset);
      const Vector scale =
          Vector::NullaryExpr(d, [&](Index) { return random.log_uniform(0.1, 10); });
      const Block block{10, 3, 80, 60};
      Tile r2, G;
      Vector direct_sum = Vector::Zero(d), product_sum = Vector::Zero(d), size = Vector::Zero(d);
      const auto direct = kern::make_direct_distance({X, Z, false}, scale);
      const auto product = kern::make_product_distance({X, Z, false}, scale);
      direct->squared(block, r2);
      product->squared(block, r2);
      G.reshape(block);
      G.matrix() = random.matrix(80, 60);
      // Op a kernel weighs them: only close pairs count.
      G.array() *= (-0.5 * r2.array()).exp();
      Tile absolute = G;
      absolute.array() = absolute.array().abs();
      direct->pull_back(absolute, size);
      direct->pull_back(G, direct_sum);
      product->pull_back(G, product_sum);
      EXPECT_CLOSE(
          Vector(product_sum.cwiseQuotient(size)), Vector(direct_sum.cwiseQuotient(size)), 1e-12)
          << "offset " << offset << ", " << d << " inputs";
    }
}

TEST(Distance, StaysFiniteForTheSmallestScalesAndLargestInputs) {
  for (const double size : {1e-300, 1e-100, 1.0, 1e100, 1e150})
    for (const double scale : {1e-100, 1.0, 1e100})
      for (const Index d : {2, 9}) {
        const Matrix X = size * Random(3).matrix(10, d);
        for (const Make& make :
             {Make(kern::make_direct_distance), Make(kern::make_product_distance)})
          EXPECT_TRUE(all_distances(make, X, X, Vector::Constant(1, scale)).allFinite())
              << size << " " << scale;
      }
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
