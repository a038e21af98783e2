#include "parallel/blas_core.hpp"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <cstdlib>

// OpenBLAS's own, called when it is loaded; not in its headers. Builds for one processor do not have them.
extern "C" {
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
}

namespace ggpm::internal {
namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

// What processors with AVX2 are taken for where they are not known.
constexpr std::array<std::string_view, 10> kBeforeAvx = {"Katmai",
                                                         "Coppermine",
                                                         "Northwood",
                                                         "Prescott",
                                                         "Banias",
                                                         "Core2",
                                                         "Penryn",
                                                         "Nehalem",
                                                         "Opteron",
                                                         "Barcelona"};
constexpr std::string_view kWithAvx2 = "Haswell", kWithAvx512 = "SkylakeX";

const char* better_core() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return kWithAvx512.data();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kWithAvx2.data();
#endif
  return nullptr;
}

// Where "Haswell" and "Zen" are all that the processor can do, they are alike and stay.
bool is_slower(std::string_view core, std::string_view better) {
  if (core == kWithAvx2 || core == "Zen") return better == kWithAvx512;
  return std::ranges::find(kBeforeAvx, core) != kBeforeAvx.end();
}

// Only while the library is being loaded: a product that another thread computes would be half of the old
// kernels and half of the new.
bool use_the_processor() {
  const std::string_view core = openblas_get_corename();
  const char* const better = better_core();
  if (better == nullptr || std::getenv(kVariable) != nullptr || gotoblas_dynamic_init == nullptr ||
      gotoblas_dynamic_quit == nullptr || !is_slower(core, better))
    return false;
  setenv(kVariable, better, 0);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(kVariable);
  return true;
}

const bool kChanged = use_the_processor();

}  // namespace

std::string_view blas_core() {
  static_cast<void>(kChanged);
  return openblas_get_corename();
}

}  // namespace ggpm::internal
