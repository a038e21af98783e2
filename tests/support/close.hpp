// EXPECT_CLOSE(actual, expected, tolerance): relative for numbers above 1, absolute below.
// Works for numbers, Eigen vectors and matrices; NaN is close to nothing, infinity to itself.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "support/algebra.hpp"

namespace ggpm::testing_support {

inline bool close(double actual, double expected, double tolerance) {
  if (actual == expected) return true;
  return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

inline testing::AssertionResult is_close(double actual, double expected, double tolerance) {
  if (close(actual, expected, tolerance)) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << testing::PrintToString(actual) << " is not " << testing::PrintToString(expected)
         << " (difference " << actual - expected << ", tolerance " << tolerance << ")";
}

template <class Actual, class Expected>
testing::AssertionResult is_close(const Eigen::MatrixBase<Actual>& actual,
                                  const Eigen::MatrixBase<Expected>& expected,
                                  double tolerance) {
  return are_close(actual, expected, tolerance);
}

}  // namespace ggpm::testing_support

#define EXPECT_CLOSE(actual, expected, tolerance) \
  EXPECT_TRUE(::ggpm::testing_support::is_close(actual, expected, tolerance))
#define ASSERT_CLOSE(actual, expected, tolerance) \
  ASSERT_TRUE(::ggpm::testing_support::is_close(actual, expected, tolerance))
