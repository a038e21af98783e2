// Length-scales, shapes and periods at the ends of their range.
#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

TEST(KernelExtremes, EveryKernelAndGradientIsFinite) {
  Random random(1);
  SCOPED_TRACE(random.trace());
  for (const Index d : {1, 9}) {
    Matrix X = random.matrix(70, d);
    X.row(1) = X.row(0);
    X.row(2) = X.row(0).array() + 1e-9;
    const Matrix A = random.symmetric(70);
    for (const std::string& text : leaf_texts())
      for (const double extreme : {1e-100, 1e-6, 1e6, 1e8, 1e100}) {
        const Kernel start = Kernel::parse(text).bind(d);
        for (std::size_t p = 0; p < start.parameters().size(); ++p) {
          std::vector<double> moved = values(start);
          moved[p] = extreme;
          const Kernel kernel = start.with_values(moved);
          EXPECT_TRUE(gram(kernel, X).allFinite()) << kernel.text();
          EXPECT_TRUE(kernel.pull_back(X, A).allFinite()) << kernel.text();
        }
      }
  }
}

TEST(KernelExtremes, EqualTheirFormulasForLengthscalesFrom1eMinus6To1e6) {
  Random random(2);
  SCOPED_TRACE(random.trace());
  for (const Index d : {2, 8}) {
    Matrix X = random.matrix(40, d);
    for (Index i = 0; i < 20; ++i)
      X.row(20 + i) = X.row(i) + std::pow(10.0, -0.5 * double(i)) * random.matrix(1, d);
    for (const std::string name : {"rbf", "matern12", "matern32", "matern52", "rq"})
      for (const double lengthscale : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
        const Kernel kernel = Kernel::parse(name).bind(d).with_values(
            name == "rq" ? std::vector<double>{1, lengthscale, 1}
                         : std::vector<double>{1, lengthscale});
        EXPECT_CLOSE(gram(kernel, X), brute_cross(kernel, X, X), 1e-12) << kernel.text();
      }
  }
}

TEST(KernelExtremes, LargeLengthscalesKeepTheDigitsNextTo1) {
  const Matrix X = Vector::LinSpaced(30, 0, 3);
  const Kernel kernel = Kernel::parse("matern12(1, 1e6)").bind(1);
  const Matrix K = gram(kernel, X);
  for (Index i = 1; i < 30; ++i) EXPECT_NEAR(1 - K(i, 0), -std::expm1(-X(i, 0) / 1e6), 2e-16);
}

TEST(RationalQuadratic, IsRbfForLargeAlpha) {
  Random random(3);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(60, 3), A = random.symmetric(60);
  const Kernel rbf = Kernel::parse("rbf(1.3, 0.8)").bind(3);
  const Vector expected = rbf.pull_back(X, A);
  for (const double alpha : {1e8, 1e12, 1e100}) {
    const Kernel rq = kernels::rq(1.3, 0.8, alpha).bind(3);
    EXPECT_CLOSE(gram(rq, X), gram(rbf, X), 30 / alpha + 1e-14) << alpha;
    EXPECT_CLOSE(Vector(rq.pull_back(X, A).head(2)), expected, 3000 / alpha + 1e-12) << alpha;
  }
}

// d log k / d log alpha tends to -r^4 / (8 alpha l^4): far below the rounding of alpha log1p(q).
TEST(RationalQuadratic, DerivativeInLargeAlphaKeepsItsDigits) {
  const Matrix X = Vector::LinSpaced(2, 0, 1.7), A = Matrix::Ones(2, 2);
  const double alpha = 1e10, r2 = 1.7 * 1.7;
  const Vector gradient = kernels::rq(1, 1, alpha).bind(1).pull_back(X, A);
  EXPECT_NEAR(gradient(2) / (-2 * std::exp(-r2 / 2) * r2 * r2 / (8 * alpha)), 1, 1e-9);
}

TEST(Periodic, RepeatsWithItsPeriodHoweverTiny) {
  for (const double period : {0x1p-20, 0x1p-3, 1.0, 0x1p20}) {
    const Vector steps = Vector::LinSpaced(33, 0, 32);
    const Matrix X = steps * (period / 8) + Vector::Constant(33, 0x1p10);
    const Matrix K = gram(kernels::periodic(1, 1, period).bind(1), X);
    for (Index i = 0; i < 33; ++i) {
      const double sine = std::sin(std::numbers::pi * double(i % 8) / 8);
      EXPECT_CLOSE(K(i, 0), std::exp(-2 * sine * sine), 1e-14) << period;
    }
  }
}

TEST(Periodic, WithAHugePeriodIsRbf) {
  Random random(4);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(50, 2);
  const double period = 1e6;
  const Kernel periodic = kernels::periodic(1, 2 * std::numbers::pi / period, period).bind(2);
  EXPECT_CLOSE(gram(periodic, X), gram(Kernel::parse("rbf").bind(2), X), 1e-9);
}

TEST(Poly, OverflowIsInfiniteNotNan) {
  const Matrix X = Matrix::Constant(3, 2, 1e10);
  const Matrix K = gram(kernels::poly(1, 1, 20).bind(2), X);
  EXPECT_TRUE((K.array() == std::numeric_limits<double>::infinity()).all());
}

TEST(KernelExtremes, FarPairsAreExactlyZeroNotSubnormal) {
  const Matrix X = Vector::LinSpaced(10, 0, 9);
  for (const std::string name : {"rbf", "matern12", "matern32", "matern52"}) {
    const Matrix K = gram(Kernel::parse(name + "(1, 1e-3)").bind(1), X);
    EXPECT_EQ(K, Matrix(Matrix::Identity(10, 10))) << name;
  }
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
