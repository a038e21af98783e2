// Loops over whole tiles, compiled for several instruction sets and chosen when the program runs:
// with baseline instructions K alone would cost half a Cholesky factorization at n = 1000.
//
// Work is a struct with
//   template <int kBytes> [[gnu::always_inline]] void run() const;
// that uses registers of kBytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "ggpm/types.hpp"

namespace ggpm::internal::kern::simd {

template <int kBytes>
using Reals [[gnu::vector_size(kBytes)]] = double;
template <int kBytes>
using Integers [[gnu::vector_size(kBytes)]] = std::int64_t;

template <int kBytes>
inline constexpr Index kLanes = kBytes / 8;

// Whole registers, or the first `count` lanes of one, where the others are 0 or left alone.
template <bool kWhole, class Real>
[[gnu::always_inline]] inline void load(Real& x, const double* from, Index count) {
  if constexpr (kWhole) {
    std::memcpy(&x, from, sizeof(Real));
  } else {
    x = Real{};
    for (Index lane = 0; lane < count; ++lane) x[lane] = from[lane];
  }
}
template <bool kWhole, class Real>
[[gnu::always_inline]] inline void store(const Real& x, double* to, Index count) {
  if constexpr (kWhole)
    std::memcpy(to, &x, sizeof(Real));
  else
    for (Index lane = 0; lane < count; ++lane) to[lane] = x[lane];
}

template <class Work>
void baseline(const Work& work) {
  work.template run<16>();
}

#if defined(__x86_64__)
template <class Work>
[[gnu::target("avx2,fma")]] void avx2(const Work& work) {
  work.template run<32>();
}
template <class Work>
[[gnu::target("avx512f")]] void avx512(const Work& work) {
  work.template run<64>();
}
inline int widest() {
  if (__builtin_cpu_supports("avx512f")) return 64;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 32 : 16;
}
#else
inline int widest() { return 16; }
#endif

// Of a register; tests choose narrower ones.
inline int& bytes() {
  static int chosen = widest();
  return chosen;
}

template <class Work>
void run(const Work& work) {
#if defined(__x86_64__)
  if (bytes() == 64) return avx512(work);
  if (bytes() == 32) return avx2(work);
#endif
  baseline(work);
}

}  // namespace ggpm::internal::kern::simd
