#include "numeric/bracket.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ggpm::internal {
namespace {

// Doubles that are neighbors end a search: it never takes more than about eighty halvings.
TEST(Between, FindsAnyDoubleSoon) {
  const double largest = std::numeric_limits<double>::max();
  for (const double wanted : {-1e300, -7.3, -1e-5, 0.0, 3e-7, 1.0, 12345.678, 1e17, 1e308}) {
    double low = -largest / 4, high = largest;
    int steps = 0;
    for (; steps < 400; ++steps) {
      const double middle = numeric::between(low, high);
      if (!(middle > low && middle < high)) break;
      (middle <= wanted ? low : high) = middle;
    }
    EXPECT_LE(low, wanted);
    EXPECT_GT(high, wanted);
    EXPECT_LT(high - low, 1e-15 + 1e-15 * std::abs(wanted)) << wanted;
    EXPECT_LT(steps, 90) << wanted;
  }
}

}  // namespace
}  // namespace ggpm::internal
