// Length-scales and periods in units of the columns, whatever the inputs are scaled by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ggpm/kernel.hpp"
#include "support/close.hpp"

namespace ggpm {
namespace {

using testing::ElementsAre;

Matrix places() {
  Matrix X(4, 2);
  X << 0, 1, 2, 5, 4, -3, 9, 2;
  return X;
}

Matrix gram(const Kernel& kernel, const Matrix& X) {
  Matrix K;
  kernel.gram(X, K);
  return K;
}

// Columns are X times their unit; the kernel of the columns as they are is the truth.
void expect_same(const std::string& text, const std::vector<double>& units) {
  const Matrix columns = places();
  Matrix X = columns;
  for (Index j = 0; j < X.cols(); ++j) X.col(j) /= units[static_cast<std::size_t>(j)];
  const Kernel kernel = Kernel::parse(text), scaled = kernel.bind(2, {}, units);
  EXPECT_CLOSE(gram(scaled, X), gram(kernel.bind(2), columns), 1e-14) << text;
  const Matrix K = gram(scaled, X);
  EXPECT_CLOSE(scaled.pull_back(X, K), kernel.bind(2).pull_back(columns, K), 1e-12) << text;
  EXPECT_EQ(scaled.text(), kernel.bind(2).text());
  EXPECT_EQ(gram(Kernel::parse(scaled.text()).bind(2, {}, units), X), K) << text;
}

TEST(Units, AreThoseOfTheColumn) {
  expect_same("rbf(lengthscale=[3, 40])", {2, 10});
  expect_same("matern52(lengthscale=3, columns=[2])", {2, 10});
  expect_same("rbf(lengthscale=3)", {7, 7});
  expect_same("periodic(lengthscale=0.7, period=5, columns=[1]) * rq(lengthscale=[3, 9])", {2, 10});
}

TEST(Units, DoNotExistForColumnsThatDiffer) {
  const Kernel kernel = Kernel::parse("rbf(lengthscale=3)");
  EXPECT_EQ(gram(kernel.bind(2, {}, std::vector<double>{2, 10}), places()),
            gram(kernel.bind(2), places()));
  EXPECT_THAT(kernel.bind(2, {}, std::vector<double>{2, 10}).units(), ElementsAre(1, 1));
}

TEST(Units, OfALengthScaleThatNobodyGaveAreThoseOfTheInputs) {
  const std::vector<double> units = {2, 10};
  const Kernel bound = Kernel::parse("rbf(ard=true)").bind(2, {}, units);
  EXPECT_EQ(gram(bound, places()), gram(Kernel::parse("rbf(ard=true)").bind(2), places()));
  EXPECT_THAT(bound.units(), ElementsAre(1, 2, 10));
  EXPECT_EQ(bound.parameters()[2].value, 10);
  EXPECT_EQ(gram(bound.bind(2, {}, units), places()), gram(bound, places()));  // once is enough
}

TEST(Units, AreOneForEachInput) {
  EXPECT_THROW(Kernel::parse("rbf").bind(2, {}, std::vector<double>{2}), UsageError);
}

}  // namespace
}  // namespace ggpm
