#include "kernel/functions/stationary.hpp"

namespace ggpm::internal::kern {
namespace {

struct Rbf {
  explicit Rbf(const Numbers&) {}
  void value(const Tile& r2, double v, Tile& K) { exponential(r2, -0.5, v, K); }
  void weigh(const Tile&, Tile&) {}  // w = 1
};

}  // namespace

constinit const KernelType kRbf = {.name = "rbf",
                                   .formula = "v exp(-r^2 / (2 l^2))",
                                   .parameters = kVarianceLengthscale,
                                   .tiles = make_stationary<Rbf>};

}  // namespace ggpm::internal::kern
