// What every kernel of the registry, and every sum and product of them, has to satisfy.
#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

double smallest_eigenvalue(const Matrix& K) { return testing_support::eigenvalues_of(K)[0]; }

class KernelConformance : public testing::TestWithParam<std::string> {
 protected:
  Kernel bound(Index dimensions) const { return Kernel::parse(GetParam()).bind(dimensions); }
  Random random_{20240601};
};

// 1 input and 3 take differences, 9 a matrix product; 150 rows make several tiles.
TEST_P(KernelConformance, EqualsItsFormulaForEveryPairOfRows) {
  SCOPED_TRACE(random_.trace());
  for (const Index d : {1, 3, 9}) {
    const Matrix X = random_.matrix(150, d), Z = random_.matrix(70, d);
    const Kernel kernel = bound(d);
    const Matrix expected = brute_cross(kernel, X, Z);
    if (expected.hasNaN()) GTEST_SKIP() << "no twin in support.hpp";
    EXPECT_CLOSE(cross(kernel, X, Z), expected, 1e-13) << d << " inputs";
  }
}

TEST_P(KernelConformance, GramIsSymmetricWithItsDiagonal) {
  SCOPED_TRACE(random_.trace());
  for (const Index d : {2, 9}) {
    const Matrix X = random_.matrix(200, d);
    const Kernel kernel = bound(d);
    const Matrix K = gram(kernel, X);
    EXPECT_EQ(K, K.transpose());
    EXPECT_CLOSE(Vector(K.diagonal()), kernel.diagonal(X), 1e-14);
  }
}

TEST_P(KernelConformance, CrossOfTheSameRowsIsGramWithoutWhiteNoise) {
  SCOPED_TRACE(random_.trace());
  for (const Index d : {2, 9}) {
    const Matrix X = random_.matrix(140, d), copy = X;
    const Kernel kernel = bound(d);
    Matrix K = gram(kernel, X);
    if (GetParam().starts_with("white")) K.setZero();
    EXPECT_CLOSE(cross(kernel, X, copy), K, 1e-14);
    EXPECT_CLOSE(cross(kernel, X, X), K, 1e-14);
  }
}

TEST_P(KernelConformance, IsPositiveSemidefinite) {
  SCOPED_TRACE(random_.trace());
  Matrix X = random_.matrix(60, 2);
  X.bottomRows(20) = X.topRows(20);  // duplicates
  const Matrix K = gram(bound(2), X);
  EXPECT_GT(smallest_eigenvalue(K), -1e-10 * K.trace());
}

TEST_P(KernelConformance, OrderOfRowsOnlyPermutes) {
  SCOPED_TRACE(random_.trace());
  for (const Index d : {2, 9}) {
    const Matrix X = random_.matrix(130, d);
    const Kernel kernel = bound(d);
    const Matrix K = gram(kernel, X), reversed = gram(kernel, X.colwise().reverse());
    EXPECT_CLOSE(Matrix(reversed.reverse()), K, 1e-13);
  }
}

TEST_P(KernelConformance, SubsetOfRowsGivesTheSameBits) {
  SCOPED_TRACE(random_.trace());
  const Matrix X = random_.matrix(40, 3), Z = random_.matrix(150, 3);
  const Kernel kernel = bound(3);
  const Matrix K = cross(kernel, X, Z);
  for (const Index j : {0, 1, 63, 64, 149})
    EXPECT_EQ(cross(kernel, X, Z.row(j)), K.col(j)) << "row " << j;
}

TEST_P(KernelConformance, NoRowsGiveEmptyMatrices) {
  const Kernel kernel = bound(9);
  const Matrix none(0, 9), some = Random(1).matrix(3, 9);
  EXPECT_EQ(gram(kernel, none).size(), 0);
  EXPECT_EQ(cross(kernel, none, some).cols(), 3);
  EXPECT_EQ(cross(kernel, some, none).rows(), 3);
  EXPECT_TRUE(kernel.pull_back(none, Matrix(0, 0)).isZero(0));
}

INSTANTIATE_TEST_SUITE_P(All, KernelConformance, testing::ValuesIn(leaf_texts()));

TEST(KernelComposition, AddsAndMultipliesEntries) {
  Random random(7);
  SCOPED_TRACE(random.trace());
  const Matrix X = random.matrix(140, 2);
  for (const std::string& left : leaf_texts())
    for (const std::string& right : leaf_texts()) {
      const Kernel a = Kernel::parse(left).bind(2), b = Kernel::parse(right).bind(2);
      const Matrix A = gram(a, X), B = gram(b, X);
      ASSERT_CLOSE(gram(a + b, X), Matrix(A + B), 1e-14) << left << " + " << right;
      ASSERT_CLOSE(gram(a * b, X), Matrix(A.cwiseProduct(B)), 1e-14) << left << " * " << right;
      ASSERT_CLOSE((a * b + a).diagonal(X), gram(a * b + a, X).diagonal(), 1e-13) << left << right;
    }
}

TEST(KernelTranslation, DoesNotMatterForStationaryKernels) {
  Random random(11);
  SCOPED_TRACE(random.trace());
  // Multiples of 2^-20 keep all digits when 2^20 is added.
  const Matrix X = (random.matrix(80, 9) * 0x1p20).array().round() * 0x1p-20;
  const Matrix moved = X.array() + 0x1p20;
  for (const std::string& text : leaf_texts()) {
    if (text.starts_with("linear") || text.starts_with("poly")) continue;
    // A period is not a multiple of 2^-20: the angles of moved rows are those of other numbers.
    const double tolerance = text.starts_with("periodic") ? 1e-8 : 1e-13;
    const Kernel kernel = Kernel::parse(text).bind(9);
    EXPECT_CLOSE(gram(kernel, moved), gram(kernel, X), tolerance) << text;
  }
}

TEST(KernelColumns, SeeOnlyTheirInputs) {
  Random random(8);
  SCOPED_TRACE(random.trace());
  const std::vector<std::string> names = {"year", "sepal length", "3"};
  const Matrix X = random.matrix(20, 3);
  Matrix chosen(20, 2);
  chosen << X.col(2), X.col(0);
  const Matrix expected = gram(Kernel::parse("rbf(1, [0.7, 1.3])").bind(2), chosen);
  EXPECT_EQ(gram(Kernel::parse("rbf(1, [0.7, 1.3], columns=[3, 1])").bind(3), X), expected);
  EXPECT_EQ(gram(Kernel::parse("rbf(1, [0.7, 1.3], columns=['3', year])").bind(3, names), X),
            expected);
  const Kernel spaced = Kernel::parse("linear(columns=['sepal length'])").bind(3, names);
  EXPECT_CLOSE(gram(spaced, X), Matrix(X.col(1) * X.col(1).transpose()), 1e-15);
  EXPECT_CLOSE(spaced.diagonal(X), Vector(X.col(1).cwiseAbs2()), 1e-15);
}

TEST(KernelArd, OfEqualLengthscalesIsTheIsotropicKernel) {
  Random random(9);
  SCOPED_TRACE(random.trace());
  for (const Index d : {2, 8}) {
    const Matrix X = random.matrix(100, d), A = random.symmetric(100);
    for (const std::string name : {"rbf", "matern12", "matern32", "matern52", "rq", "periodic"}) {
      const Kernel one = Kernel::parse(name + "(lengthscale=1.4)").bind(d);
      const Kernel each = Kernel::parse(name + "(lengthscale=1.4, ard=true)").bind(d);
      EXPECT_CLOSE(gram(each, X), gram(one, X), 1e-15) << name;
      // A common factor moves all length-scales together.
      EXPECT_CLOSE(
          each.pull_back(X, A).segment(1, d).sum(), one.pull_back(X, A)(1), 1e-11 * A.norm())
          << name;
    }
  }
}

TEST(KernelProduct, WithWhiteNoiseIsDiagonal) {
  Random random(10);
  const Matrix X = random.matrix(90, 2);
  const Kernel kernel = Kernel::parse("white(2) * rbf(3)").bind(2);
  EXPECT_CLOSE(gram(kernel, X), Matrix(6 * Matrix::Identity(90, 90)), 1e-15);
  EXPECT_TRUE(cross(kernel, X, X).isZero(0));
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
