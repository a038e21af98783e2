#include "kernel/functions/stationary.hpp"

namespace ggpm::internal::kern {
namespace {

// k = (1 + q)^-alpha = exp(-alpha log1p(q)), q = r^2 / (2 alpha): keeps its digits up to alpha =
// 1e100, where it is rbf.
struct RationalQuadratic {
  explicit RationalQuadratic(const Numbers& numbers) : alpha(numbers.scalar(2)) {}

  void value(const Tile& r2, double v, Tile& K) {
    q_.reshape(r2.rows(), r2.cols());
    log1p_q_.reshape(r2.rows(), r2.cols());
    q_.flat() = r2.flat() / (2 * alpha);
    log1p_q_.flat() = q_.flat();
    log1p_in_place(log1p_q_);
    exponential(log1p_q_, -alpha, v, K);
  }

  void weigh(const Tile&, Tile& G) { G.array() /= 1 + q_.array(); }

  // d log k/d log alpha = -alpha (log1p(q) - q/(1 + q)); for small q the difference cancels and its
  // series is used,  sum_{k >= 2} (-1)^k (1 - 1/k) q^k.
  double pull_back_extra(const Tile&, const Tile& G) {
    constexpr double kSmall = 1e-2;
    log1p_q_.array() -= q_.array() / (1 + q_.array());
    if (q_.array().minCoeff() < kSmall) {
      for (Index j = 0; j < q_.cols(); ++j)
        for (Index i = 0; i < q_.rows(); ++i)
          if (q_.array()(i, j) < kSmall) log1p_q_.array()(i, j) = series(q_.array()(i, j));
    }
    return -alpha * (G.array() * log1p_q_.array()).sum();
  }

  static double series(double q) {
    constexpr int kTerms = 9;  // the first one left out is below 1e-16 relative at q = 1e-2
    double sum = 0;
    for (int k = kTerms; k >= 2; --k) sum = (k % 2 == 0 ? 1 : -1) * (1 - 1.0 / k) + q * sum;
    return sum * q * q;
  }

  double alpha;
  Tile q_, log1p_q_;  // of the tile evaluated last; pull_back_extra uses up log1p
};

constexpr ParameterSpec kRqParameters[] = {kVariance, kLengthscale, {"alpha", Role::shape, kWide}};

}  // namespace

constinit const KernelType kRq = {.name = "rq",
                                  .formula = "v (1 + r^2 / (2 alpha l^2))^-alpha",
                                  .parameters = kRqParameters,
                                  .tiles = make_stationary<RationalQuadratic>};

}  // namespace ggpm::internal::kern
