#include "learn/design.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ggpm::internal {
namespace {

double moment(const std::vector<DesignPoint>& design, const std::vector<int>& powers) {
  double sum = 0;
  for (const DesignPoint& point : design) {
    double term = point.weight;
    for (std::size_t j = 0; j < powers.size(); ++j)
      term *= std::pow(point.z[static_cast<Index>(j)], powers[j]);
    sum += term;
  }
  return sum;
}

class Design : public testing::TestWithParam<int> {};

TEST_P(Design, HasTheMomentsOfAStandardGaussian) {
  const int p = GetParam();
  const std::vector<DesignPoint> design = composite_design(p);
  for (const DesignPoint& point : design) EXPECT_GT(point.weight, 0);
  EXPECT_NEAR(moment(design, {}), 1, 1e-12);
  for (int i = 0; i < p; ++i) {
    std::vector<int> powers(static_cast<std::size_t>(p));
    for (const auto& [power, wanted] :
         {std::pair{1, 0.0}, std::pair{2, 1.0}, std::pair{3, 0.0}, std::pair{4, 3.0}}) {
      powers[static_cast<std::size_t>(i)] = power;
      EXPECT_NEAR(moment(design, powers), wanted, 1e-12) << i << "^" << power;
    }
    for (int j = 0; j < i; ++j) {
      powers.assign(static_cast<std::size_t>(p), 0);
      for (const auto& [a, b, wanted] : {std::tuple{1, 1, 0.0},
                                         std::tuple{2, 1, 0.0},
                                         std::tuple{2, 2, 1.0},
                                         std::tuple{3, 1, 0.0}}) {
        powers[static_cast<std::size_t>(i)] = a;
        powers[static_cast<std::size_t>(j)] = b;
        EXPECT_NEAR(moment(design, powers), wanted, 1e-12) << i << " " << j;
      }
      if (j == 0) continue;
      powers[static_cast<std::size_t>(i)] = powers[static_cast<std::size_t>(j)] = powers[0] = 1;
      EXPECT_NEAR(moment(design, powers), 0, 1e-12) << "three of them";
    }
  }
}

TEST_P(Design, HasAFewDozenPoints) { EXPECT_LE(composite_design(GetParam()).size(), 57U); }

INSTANTIATE_TEST_SUITE_P(Dimensions,
                         Design,
                         testing::Range(1, static_cast<int>(kMostDesigned) + 1));

TEST(DesignOfNothing, IsThePointItself) {
  const std::vector<DesignPoint> design = composite_design(0);
  ASSERT_EQ(design.size(), 1U);
  EXPECT_EQ(design[0].weight, 1);
}

}  // namespace
}  // namespace ggpm::internal
