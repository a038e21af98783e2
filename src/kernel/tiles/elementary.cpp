// exp and log1p of whole tiles.
#include "kernel/tiles/simd.hpp"
#include "kernel/tiles/tile.hpp"

namespace ggpm::internal::kern {
namespace {

// log 2 in two parts; an exponent times the first is exact.
constexpr double kLog2High = 6.93147180369123816490e-01, kLog2Low = 1.90821492927058770002e-10;

// x = k log 2 + r, |r| <= log(2)/2; e^r by its Taylor polynomial of degree 13 (remainder 4e-18),
// 2^k by its exponent bits.
struct Exp {
  template <class Real, class Integer>
  [[gnu::always_inline]] static void apply(Real& x) {
    constexpr double kInverseLog2 = 1.4426950408889634;
    // Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits.
    constexpr double kRound = 6755399441055744.0;
    const Real smallest = Real{} - 708.0;
    const Real above = x < smallest ? smallest : x;
    const Real shifted = above * kInverseLog2 + kRound;
    const Real k = shifted - kRound;
    const Real r = (above - k * kLog2High) - k * kLog2Low;
    Real p = r * (1 / 6227020800.0) + 1 / 479001600.0;
    p = p * r + 1 / 39916800.0;
    p = p * r + 1 / 3628800.0;
    p = p * r + 1 / 362880.0;
    p = p * r + 1 / 40320.0;
    p = p * r + 1 / 5040.0;
    p = p * r + 1 / 720.0;
    p = p * r + 1 / 120.0;
    p = p * r + 1 / 24.0;
    p = p * r + 1 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    p *= (Real)(((Integer)shifted + 1023) << 52);
    x = x < smallest ? Real{} : p;  // NaN stays NaN
  }
};

// log1p(x) = log u + (x - (u - 1)) / u with u = fl(1 + x) = 2^k m, sqrt(1/2) < m < sqrt(2), and
// log m = 2 atanh(s), s = (m - 1)/(m + 1), by its series (remainder 1e-18).
struct Log1p {
  template <class Real, class Integer>
  [[gnu::always_inline]] static void apply(Real& x) {
    constexpr std::int64_t kMantissa = 0x000FFFFFFFFFFFFF, kOne = 0x3FF0000000000000;
    constexpr std::int64_t kTwo52 =
        0x4330000000000000;  // an integer in the low bits of 2^52 reads as it
    const Real u = x + 1.0;
    const Real lost = (x - (u - 1.0)) / u;
    Real m = (Real)(((Integer)u & kMantissa) | kOne);  // in [1, 2)
    Real k = (Real)(((Integer)u >> 52) | kTwo52) - (4503599627370496.0 + 1023.0);
    const auto upper = m > 1.4142135623730951;
    m = upper ? 0.5 * m : m;
    k = upper ? k + 1.0 : k;
    const Real f = m - 1.0, s = f / (f + 2.0), s2 = s * s;
    Real p = s2 * (1 / 23.0) + 1 / 21.0;
    p = p * s2 + 1 / 19.0;
    p = p * s2 + 1 / 17.0;
    p = p * s2 + 1 / 15.0;
    p = p * s2 + 1 / 13.0;
    p = p * s2 + 1 / 11.0;
    p = p * s2 + 1 / 9.0;
    p = p * s2 + 1 / 7.0;
    p = p * s2 + 1 / 5.0;
    p = p * s2 + 1 / 3.0;
    // 2 s (1 + s2 p) = f - s (f - 2 s2 p): the leading term f is exact.
    x = k * kLog2High + (f - (s * (f - 2.0 * s2 * p) - (k * kLog2Low + lost)));
  }
};

// to <- factor f(rate from), over whole registers.
template <class Function>
struct Map {
  const double* from;
  double rate, factor;
  double* to;
  Index size;

  template <int kBytes>
  [[gnu::always_inline]] void run() const {
    for (Index i = 0; i < size; i += simd::kLanes<kBytes>) {
      simd::Reals<kBytes> x;
      std::memcpy(&x, from + i, kBytes);
      x *= rate;
      Function::template apply<simd::Reals<kBytes>, simd::Integers<kBytes>>(x);
      x *= factor;
      std::memcpy(to + i, &x, kBytes);
    }
  }
};

}  // namespace

void exponential(const Tile& x, double rate, double factor, Tile& out) {
  simd::run(Map<Exp>{x.data(), rate, factor, out.data(), x.flat().size()});
}

void log1p_in_place(Tile& tile) {
  simd::run(Map<Log1p>{tile.data(), 1, 1, tile.data(), tile.flat().size()});
}

}  // namespace ggpm::internal::kern
