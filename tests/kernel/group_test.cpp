// A random intercept for each level, without an input a level.
#include "support.hpp"
#include "support/close.hpp"

namespace ggpm::internal::kernel_tests {
namespace {

// Levels 0, 1, ... of rows, and the same as inputs of 0 and 1.
struct Levels {
  Matrix codes, one_hot;
};

Levels random_levels(Random& random, Index rows, Index count) {
  Levels out{Matrix(rows, 1), Matrix::Zero(rows, count)};
  for (Index i = 0; i < rows; ++i) {
    const Index level = random.below(count);
    out.codes(i, 0) = static_cast<double>(level);
    out.one_hot(i, level) = 1;
  }
  return out;
}

TEST(Group, EqualsALinearKernelOfOneInputALevel) {
  Random random(7);
  SCOPED_TRACE(random.trace());
  const Levels train = random_levels(random, 150, 20), test = random_levels(random, 70, 20);
  const Kernel group = Kernel::parse("group(variance=0.7)").bind(1);
  const Kernel linear = Kernel::parse("linear(variance=0.7)").bind(20);
  EXPECT_CLOSE(gram(group, train.codes), gram(linear, train.one_hot), 1e-15);
  EXPECT_CLOSE(
      cross(group, train.codes, test.codes), cross(linear, train.one_hot, test.one_hot), 1e-15);
  const Matrix Kbar = random.symmetric(150);
  EXPECT_CLOSE(group.pull_back(train.codes, Kbar), linear.pull_back(train.one_hot, Kbar), 1e-12);
}

TEST(Group, TimesAnotherKernelIsThatKernelWithinEachLevel) {
  Random random(8);
  const Levels levels = random_levels(random, 60, 5);
  Matrix X(60, 2);
  X << levels.codes, random.matrix(60, 1);
  const Kernel within = Kernel::parse("group(columns=[1]) * rbf(columns=[2])").bind(2);
  const Matrix K = gram(within, X), plain = gram(Kernel::parse("rbf(columns=[2])").bind(2), X);
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 60; ++j) EXPECT_EQ(K(i, j), X(i, 0) == X(j, 0) ? plain(i, j) : 0);
}

TEST(Group, OfSeveralColumnsIsOfRowsThatAgreeInAll) {
  Matrix X(4, 2);
  X << 1, 1, 1, 2, 2, 1, 1, 1;
  const Matrix K = gram(Kernel::parse("group(variance=2)").bind(2), X);
  EXPECT_EQ(K(0, 3), 2);
  EXPECT_EQ(K(0, 1), 0);
  EXPECT_EQ(K(0, 2), 0);
  EXPECT_EQ(K(1, 1), 2);
}

TEST(Group, ColumnsAreThoseThatGroupKernelsName) {
  EXPECT_EQ(group_columns("rbf + group(columns=[site, 'the year']) * linear(columns=[x])"),
            (std::vector<std::string>{"site", "the year"}));
  EXPECT_TRUE(group_columns("rbf(columns=[site])").empty());
}

TEST(NumbersOfLevels, AreSeenByGroupKernelsAlone) {
  const std::vector<std::string> names = {"a", "site=(levels)", "b"};
  const Kernel both = Kernel::parse("rbf(ard=true) + group(columns=[site])").bind(3, names);
  ASSERT_EQ(both.parameters().size(), 4u);  // two length-scales
  Matrix X = Matrix::Zero(2, 3);
  X(1, 1) = 5;
  EXPECT_EQ(gram(both, X)(0, 1), 1);
  EXPECT_EQ(Kernel::parse(both.text()).bind(3, names).text(), both.text());
  EXPECT_THROW(Kernel::parse("rbf(columns=[site])").bind(3, names), UsageError);
  EXPECT_THROW(Kernel::parse("rbf").bind(1, std::vector<std::string>{"site=(levels)"}), UsageError);
}

}  // namespace
}  // namespace ggpm::internal::kernel_tests
