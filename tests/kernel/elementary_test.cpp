#include "kernel/tiles/tile.hpp"
#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

using kern::Tile;

void exp_in_place(Tile& tile) { kern::exponential(tile, 1, 1, tile); }

// The largest error in units of the last place over many random arguments.
template <class Apply, class Exact>
double worst_error(const Apply& apply, const Exact& exact, const Vector& x) {
  Tile tile;
  tile.reshape(x.size(), 1);
  tile.matrix() = x;
  apply(tile);
  double worst = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const long double expected = exact(static_cast<long double>(x(i)));
    const double error = static_cast<double>(std::abs((tile.matrix()(i, 0) - expected) / expected));
    worst = std::max(worst, error / std::numeric_limits<double>::epsilon());
  }
  return worst;
}

TEST(Elementary, ExpIsRightToTheLastPlace) {
  Random random(1);
  SCOPED_TRACE(random.trace());
  const Vector x =
      Vector::NullaryExpr(100003, [&](Index) { return -random.log_uniform(1e-20, 708); });
  EXPECT_LT(worst_error(
                exp_in_place, [](long double v) { return std::exp(v); }, x),
            1.0);
}

TEST(Elementary, Log1pIsRightToTheLastPlace) {
  Random random(2);
  SCOPED_TRACE(random.trace());
  const Vector x =
      Vector::NullaryExpr(100003, [&](Index) { return random.log_uniform(1e-300, 1e300); });
  EXPECT_LT(worst_error(
                kern::log1p_in_place, [](long double v) { return std::log1p(v); }, x),
            1.0);
}

TEST(Elementary, ExpAtItsEdges) {
  Tile tile;
  tile.reshape(7, 1);
  const double infinity = std::numeric_limits<double>::infinity();
  tile.matrix() << 0, -0.0, -707.9, -708.1, -1e300, -infinity, std::nan("");
  exp_in_place(tile);
  EXPECT_EQ(tile.matrix()(0, 0), 1);
  EXPECT_EQ(tile.matrix()(1, 0), 1);
  EXPECT_CLOSE(tile.matrix()(2, 0) / std::exp(-707.9), 1, 1e-15);
  EXPECT_EQ(tile.matrix()(3, 0), 0);
  EXPECT_EQ(tile.matrix()(4, 0), 0);
  EXPECT_EQ(tile.matrix()(5, 0), 0);
  EXPECT_TRUE(std::isnan(tile.matrix()(6, 0)));
}

TEST(Elementary, Log1pAtItsEdges) {
  Tile tile;
  tile.reshape(3, 1);
  tile.matrix() << 0, 1e-300, 1;
  kern::log1p_in_place(tile);
  EXPECT_EQ(tile.matrix()(0, 0), 0);
  EXPECT_EQ(tile.matrix()(1, 0), 1e-300);
  EXPECT_CLOSE(tile.matrix()(2, 0), std::numbers::ln2, 1e-16);
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
