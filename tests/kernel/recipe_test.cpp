// The recipe of CONTRIBUTING.md, "How to add: a kernel": what stands here is all that a kernel needs.
#include "kernel/functions/stationary.hpp"
#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kern {
namespace {

// [recipe: a kernel]
struct Cauchy {
  explicit Cauchy(const Numbers&) {}
  void value(const Tile& r2, double v, Tile& K) { K.flat() = v / (1 + r2.flat() / 2); }
  void weigh(const Tile& r2, Tile& G) { G.array() /= 1 + r2.array() / 2; }  // w = -2 k'/k
};

constinit const KernelType kCauchy = {.name = "cauchy",
                                      .formula = "v / (1 + r^2 / (2 l^2))",
                                      .parameters = kVarianceLengthscale,
                                      .tiles = make_stationary<Cauchy>};
// [end of recipe]

}  // namespace
}  // namespace ggpm::internal::kern

namespace ggpm::internal::kernel_tests {
namespace {

TEST(KernelRecipe, WorksAloneInSumsAndInProducts) {
  Random random(31);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(150, 3), Z = random.matrix(20, 3), A = random.symmetric(150);
  const Kernel cauchy = Kernel(std::make_shared<kern::Leaf>(kern::kCauchy)).bind(3);
  const Kernel rq = Kernel::parse("rq(alpha=1)").bind(3), linear = Kernel::parse("linear").bind(3);
  EXPECT_CLOSE(gram(cauchy, X), gram(rq, X), 1e-13);
  EXPECT_CLOSE(cross(cauchy, X, Z), cross(rq, X, Z), 1e-13);
  EXPECT_CLOSE(gram(cauchy * linear + cauchy, X), gram(rq * linear + rq, X), 1e-12);
  const Vector expected = rq.pull_back(X, A).head(2);
  EXPECT_CLOSE(cauchy.pull_back(X, A), expected, 1e-11);
  const Kernel moved = cauchy.with_values(std::vector{2.0, 0.5});
  EXPECT_EQ(moved.text(), "cauchy(variance=2, lengthscale=0.5)");
  EXPECT_CLOSE(moved.diagonal(X), Vector(Vector::Constant(150, 2)), 1e-15);
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
