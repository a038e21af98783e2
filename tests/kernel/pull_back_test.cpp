#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

// d/d log(parameter) of sum(A o K) by central differences of two steps, extrapolated to none (a
// period shorter than the distances bends too much for one), and how large its terms are.
struct Differences {
  Vector gradient;
  double scale = 0;
};

template <class BuildK>
Differences differences(const Kernel& kernel, const Matrix& A, const BuildK& build) {
  constexpr double kStep = 1e-5;  // errors of 1e-11 from rounding
  const std::vector<double> at = values(kernel);
  Differences out{Vector(at.size()), build(kernel).cwiseProduct(A).cwiseAbs().sum()};
  for (std::size_t p = 0; p < at.size(); ++p) {
    const auto objective = [&](double step) {
      std::vector<double> moved = at;
      moved[p] *= std::exp(step);
      return build(kernel.with_values(moved)).cwiseProduct(A).sum();
    };
    const auto slope = [&](double step) {
      return (objective(step) - objective(-step)) / (2 * step);
    };
    out.gradient(static_cast<Index>(p)) = (4 * slope(kStep / 2) - slope(kStep)) / 3;
  }
  return out;
}

testing::AssertionResult agrees(const Vector& gradient, const Differences& expected) {
  return testing_support::is_close(
      Vector(gradient / expected.scale), Vector(expected.gradient / expected.scale), 1e-7);
}

testing::AssertionResult gram_gradient_agrees(const Kernel& kernel,
                                              const Matrix& X,
                                              const Matrix& A) {
  const auto build = [&](const Kernel& k) { return gram(k, X); };
  return agrees(kernel.pull_back(X, A), differences(kernel, A, build));
}

std::vector<Kernel> leaves(Index dimensions) {
  std::vector<Kernel> out;
  for (const std::string& text : leaf_texts()) out.push_back(Kernel::parse(text).bind(dimensions));
  return out;
}

TEST(PullBack, IsTheDerivativeForEveryKernelAndNumberOfInputs) {
  Random random(1);
  SCOPED_TRACE(random.trace());
  for (const Index d : {1, 2, 6, 7, 12}) {
    Matrix X = random.matrix(140, d);  // two tiles
    X.row(3) = X.row(130);
    const Matrix A = random.symmetric(140);
    for (const Kernel& kernel : leaves(d))
      EXPECT_TRUE(gram_gradient_agrees(kernel, X, A)) << kernel.text();
  }
}

TEST(PullBack, IsTheDerivativeForEveryCompositionOfTwo) {
  Random random(2);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(7, 2), A = random.symmetric(7);
  for (const Kernel& a : leaves(2))
    for (const Kernel& b : leaves(2))
      for (const Kernel& kernel : {a + b, a * b})
        ASSERT_TRUE(gram_gradient_agrees(kernel, X, A)) << kernel.text();
}

TEST(PullBack, IsTheDerivativeForEveryCompositionOfThree) {
  Random random(3);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(5, 2), A = random.symmetric(5);
  const std::vector<Kernel> all = leaves(2);
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a; b < all.size(); ++b)
      for (const Kernel& c : all)
        for (const Kernel& kernel : {all[a] * all[b] + c, (all[a] + all[b]) * c})
          ASSERT_TRUE(gram_gradient_agrees(kernel, X, A)) << kernel.text();
}

TEST(PullBack, OfFourFactorsAndNestedSums) {
  Random random(4);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(150, 3), A = random.symmetric(150);
  for (const std::string text :
       {"rbf(2, 0.9) * linear(0.4) * periodic(1, 1.1, 2) * matern32(0.6, 3)",
        "(rbf + linear * (white + matern12(ard=true, columns=[1, 3]))) * (poly + constant * rq)"})
    EXPECT_TRUE(gram_gradient_agrees(Kernel::parse(text).bind(3), X, A)) << text;
}

TEST(PullBack, ReadsOnlyTheLowerTriangle) {
  Random random(5);
  const Matrix X = random.matrix(150, 2), A = random.symmetric(150);
  Matrix lower = A;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  const Kernel kernel = Kernel::parse("rbf(ard=true) * linear + white + poly").bind(2);
  EXPECT_EQ(kernel.pull_back(X, lower), kernel.pull_back(X, A));
}

TEST(PullBack, OfCrossIsTheDerivative) {
  Random random(6);
  SCOPED_TRACE(random.trace());
  for (const Index d : {2, 8}) {
    const Matrix X = random.matrix(70, d), Z = random.matrix(90, d), A = random.matrix(70, 90);
    const auto build = [&](const Kernel& k) { return cross(k, X, Z); };
    const std::vector<Kernel> all = leaves(d);
    for (const Kernel& leaf : all) {
      const Kernel kernel = leaf * all[0] + leaf;
      const Differences expected = differences(kernel, A, build);
      if (expected.scale == 0) {  // white
        EXPECT_TRUE(kernel.pull_back_cross(X, Z, A).isZero(0));
        continue;
      }
      EXPECT_TRUE(agrees(kernel.pull_back_cross(X, Z, A), expected)) << kernel.text();
    }
  }
}

TEST(PullBack, OfTheDiagonalIsThatOfADiagonalAdjoint) {
  Random random(7);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(80, 3);
  const Vector kbar = random.matrix(80, 1);
  const std::vector<Kernel> all = leaves(3);
  for (const Kernel& a : all)
    for (const Kernel& b : all)
      for (const Kernel& kernel : {a, a * b + b, (a + b) * b})
        ASSERT_CLOSE(kernel.pull_back_diagonal(X, kbar),
                     kernel.pull_back(X, Matrix(kbar.asDiagonal())),
                     1e-12)
            << kernel.text();
}

TEST(PullBack, RefusesAnAdjointOfAnotherShape) {
  const Kernel kernel = Kernel::parse("rbf").bind(1);
  const Matrix X = Matrix::Zero(3, 1);
  EXPECT_THROW(kernel.pull_back(X, Matrix::Zero(3, 2)), UsageError);
  EXPECT_THROW(kernel.pull_back_cross(X, X, Matrix::Zero(2, 3)), UsageError);
  EXPECT_THROW(kernel.pull_back_diagonal(X, Vector::Zero(2)), UsageError);
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
