#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ggpm/study.hpp"

namespace ggpm {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// Rounding times of base runners, Hollander and Wolfe (1973), the example of R's friedman.test.
// Columns: round out, narrow angle, wide angle.
Matrix rounding_times() {
  Matrix m(22, 3);
  m << 5.40, 5.50, 5.55, 5.85, 5.70, 5.75, 5.20, 5.60, 5.50, 5.55, 5.50, 5.40, 5.90, 5.85, 5.70,
      5.45, 5.55, 5.60, 5.40, 5.40, 5.35, 5.45, 5.50, 5.35, 5.25, 5.15, 5.00, 5.85, 5.80, 5.70,
      5.25, 5.20, 5.10, 5.65, 5.55, 5.45, 5.60, 5.35, 5.45, 5.05, 5.00, 4.95, 5.50, 5.50, 5.40,
      5.45, 5.55, 5.50, 5.55, 5.55, 5.35, 5.45, 5.50, 5.55, 5.50, 5.45, 5.25, 5.65, 5.60, 5.40,
      5.70, 5.65, 5.55, 6.30, 6.30, 6.25;
  return m;
}

// > friedman.test(RoundingTimes)
// Friedman chi-squared = 11.143, df = 2, p-value = 0.003805
TEST(Friedman, EqualsTheExampleOfR) {
  const Friedman test = friedman_test(rounding_times());
  EXPECT_NEAR(test.statistic, 11.143, 5e-4);
  EXPECT_EQ(test.degrees_of_freedom, 2);
  EXPECT_NEAR(test.p, 0.003805, 5e-7);
}

Matrix wins(int first, int ties, int second) {
  Matrix m(first + ties + second, 2);
  for (int i = 0; i < m.rows(); ++i) {
    m(i, 0) = 1;
    m(i, 1) = i < first ? 2 : i < first + ties ? 1 : 0;
  }
  return m;
}

// Average ranks and p values as the paper prints them for ten trials of two methods.
TEST(Friedman, EqualsThePairsInThePapersTables) {
  struct Case {
    int first, ties, second;
    double rank, p;
  };
  for (const Case& c : {Case{10, 0, 0, 1.0, 0.0016},
                        {9, 0, 1, 1.1, 0.0114},
                        {8, 0, 2, 1.2, 0.0578},
                        {7, 0, 3, 1.3, 0.2059},
                        {6, 0, 4, 1.4, 0.5271},
                        {5, 0, 5, 1.5, 1.0},
                        {7, 1, 2, 1.25, 0.0956},
                        {6, 3, 1, 1.25, 0.0588},
                        {5, 4, 1, 1.3, 0.1025}}) {
    const Friedman test = friedman_test(wins(c.first, c.ties, c.second));
    EXPECT_NEAR(test.average_ranks[0], c.rank, 1e-12);
    EXPECT_NEAR(test.p, c.p, 6e-5) << c.first << " " << c.ties << " " << c.second;
  }
}

TEST(Friedman, DoesNotSeeMonotoneTransformsOfABlock) {
  const Matrix m = rounding_times();
  const Matrix e = m.array().exp() * 1e10;
  EXPECT_DOUBLE_EQ(friedman_test(m).statistic, friedman_test(e).statistic);
}

TEST(Friedman, HasUniformPUnderTheNullHypothesis) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int below = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    Matrix m(40, 4);
    for (double& x : m.reshaped()) x = normal(random);
    below += friedman_test(m).p < 0.1 ? 1 : 0;
  }
  EXPECT_NEAR(below, 200, 4 * std::sqrt(200 * 0.9));
}

TEST(Friedman, SaysNothingWhenAllIsTied) {
  const Friedman test = friedman_test(Matrix::Ones(5, 3));
  EXPECT_EQ(test.p, 1);
  EXPECT_THAT(test.average_ranks, ElementsAre(2, 2, 2));
}

TEST(Friedman, RefusesWhatItCannotRank) {
  EXPECT_THROW(friedman_test(Matrix::Ones(5, 1)), UsageError);
  EXPECT_THROW(friedman_test(Matrix::Constant(2, 2, std::nan(""))), DataError);
}

TEST(PairTests, AreFriedmanTestsOfPairsAdjustedByHolm) {
  const Matrix m = rounding_times();
  const std::vector<PairTest> tests = pairwise_friedman_tests(m);
  ASSERT_EQ(tests.size(), 3U);
  Matrix last(m.rows(), 2);
  last << m.col(1), m.col(2);
  EXPECT_EQ(tests[2].p, friedman_test(last).p);
  double smallest = 1, largest = 0, largest_adjusted = 0;
  for (const PairTest& t : tests) {
    smallest = std::min(smallest, t.p);
    largest = std::max(largest, t.p);
    largest_adjusted = std::max(largest_adjusted, t.adjusted_p);
    EXPECT_GE(t.adjusted_p, t.p);
  }
  const auto first =
      std::min_element(tests.begin(), tests.end(), [](auto& a, auto& b) { return a.p < b.p; });
  EXPECT_DOUBLE_EQ(first->adjusted_p, std::min(1.0, 3 * smallest));
  EXPECT_GE(largest_adjusted, largest);
}

TEST(Ranks, ShareTheMeanWhereValuesAreEqual) {
  EXPECT_THAT(ranks(std::vector<double>{3, 1, 3, 2}), ElementsAre(3.5, 1, 3.5, 2));
  EXPECT_TRUE(ranks({}).empty());
}

// Student's sleep data, the example of R's t.test: t = -4.0621, df = 9, p-value = 0.002833
TEST(PairedTTest, EqualsTheExampleOfR) {
  const std::vector<double> a = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const std::vector<double> b = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  EXPECT_THAT(paired_t_test(a, b), DoubleNear(0.002833, 5e-7));
  EXPECT_EQ(paired_t_test(a, a), 1);
}

}  // namespace
}  // namespace ggpm
