#include "parallel/blas_core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace ggpm::internal {
namespace {

using testing::AnyOf;
using testing::Not;

// OpenBLAS of Debian 12 takes processors that are newer than itself for a Prescott.
TEST(BlasCore, IsNotOlderThanTheProcessor) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "no AVX2";
  EXPECT_THAT(blas_core(),
              Not(AnyOf("Prescott", "Core2", "Penryn", "Nehalem", "Opteron", "Barcelona")));
}

TEST(BlasCore, LeavesTheEnvironmentAsItWas) {
  const char* set = std::getenv("OPENBLAS_CORETYPE");
  static_cast<void>(blas_core());
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), set);
}

}  // namespace
}  // namespace ggpm::internal
