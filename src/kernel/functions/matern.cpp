// Matern kernels: polynomials in t = sqrt(2 nu) r times e^-t.
#include <cmath>

#include "kernel/functions/stationary.hpp"

namespace ggpm::internal::kern {
namespace {

// kTwoNu = 2 nu.
//  nu    k                     w = -2 k'(r^2) / k
//  1/2   e^-t                  1 / t
//  3/2   (1 + t) e^-t          3 / (1 + t)
//  5/2   (1 + t + t^2/3) e^-t  (5/3) (1 + t) / (1 + t + t^2/3)
template <int kTwoNu>
struct Matern {
  explicit Matern(const Numbers&) {}

  void value(const Tile& r2, double v, Tile& K) {
    t_.reshape(r2.rows(), r2.cols());
    t_.flat() = (kTwoNu * r2.flat()).sqrt();
    exponential(t_, -1, v, K);
    if constexpr (kTwoNu == 3) K.flat() *= 1 + t_.flat();
    if constexpr (kTwoNu == 5) K.flat() *= 1 + t_.flat() + t_.flat().square() / 3;
  }

  void weigh(const Tile&, Tile& G) {
    const auto t = t_.array();
    // At t = 0 the slope is multiplied with a distance of exactly 0.
    if constexpr (kTwoNu == 1) G.array() /= t.max(1e-150);
    if constexpr (kTwoNu == 3) G.array() *= 3 / (1 + t);
    if constexpr (kTwoNu == 5) G.array() *= (5.0 / 3) * (1 + t) / (1 + t + t.square() / 3);
  }

  Tile t_;  // of the tile evaluated last
};

}  // namespace

constinit const KernelType kMatern12 = {.name = "matern12",
                                        .formula = "v exp(-r/l)",
                                        .parameters = kVarianceLengthscale,
                                        .tiles = make_stationary<Matern<1>>};
constinit const KernelType kMatern32 = {.name = "matern32",
                                        .formula = "v (1 + t) exp(-t), t = sqrt(3) r/l",
                                        .parameters = kVarianceLengthscale,
                                        .tiles = make_stationary<Matern<3>>};
constinit const KernelType kMatern52 = {.name = "matern52",
                                        .formula = "v (1 + t + t^2/3) exp(-t), t = sqrt(5) r/l",
                                        .parameters = kVarianceLengthscale,
                                        .tiles = make_stationary<Matern<5>>};

}  // namespace ggpm::internal::kern
