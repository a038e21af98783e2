#include "ggpm/version.hpp"

#include <gtest/gtest.h>

#include <algorithm>

TEST(Version, HasThreeNumbers) {
  const auto version = ggpm::version();
  EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2) << version;
}
