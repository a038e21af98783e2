#include "parallel/blas_core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace ggpm::internal {
namespace {

using testing::AnyOf;
using testing::Not;

// Before the library was loaded, which is when kernels are chosen.
bool was_set() {
  std::ifstream file("/proc/self/environ");
  for (std::string entry; std::getline(file, entry, '\0');)
    if (entry.starts_with("OPENBLAS_CORETYPE=")) return true;
  return false;
}

// OpenBLAS of Debian 12 takes processors that are newer than itself for a Prescott.
TEST(BlasCore, IsNotOlderThanTheProcessor) {
  if (was_set()) GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "no AVX2";
  EXPECT_THAT(blas_core(),
              Not(AnyOf("Prescott", "Core2", "Penryn", "Nehalem", "Opteron", "Barcelona")));
}

// ... and AMD's with AVX-512 for those without, at two thirds of the speed.
TEST(BlasCore, UsesAvx512) {
  if (was_set()) GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
  if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512bw"))
    GTEST_SKIP() << "no AVX-512";
  EXPECT_THAT(blas_core(), Not(AnyOf("Haswell", "Zen", "Sandybridge")));
}

TEST(BlasCore, LeavesTheEnvironmentAsItWas) {
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE") != nullptr, was_set());
}

}  // namespace
}  // namespace ggpm::internal
