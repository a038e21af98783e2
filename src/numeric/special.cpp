#include "numeric/special.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/expm1.hpp>

#include "numeric/constants.hpp"

namespace ggpm::internal::numeric {
namespace {

// Boost would compute in long double.
constexpr boost::math::policies::policy<boost::math::policies::promote_double<false>> kPlain;

double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

// Power series sum_j c_j e^j and its derivatives under D = e d/de, that is d/dx for e = e^x.
template <std::size_t N>
void euler_series(const std::array<double, N>& c, double e, std::size_t order, Derivs& d) {
  d = {};
  double power = 1;
  for (std::size_t j = 1; j < N; ++j) {
    power *= e;
    double term = c[j] * power;
    for (std::size_t k = 0; k <= order; ++k, term *= static_cast<double>(j)) d[k] += term;
  }
}

// Plain derivatives of sum_j c_j x^j.
template <std::size_t N>
void power_series(const std::array<double, N>& c, double x, std::size_t order, Derivs& d) {
  d = {};
  for (std::size_t k = 0; k <= order; ++k) {
    double sum = 0;
    for (std::size_t j = N; j-- > k;) {
      double falling = c[j];
      for (std::size_t i = 0; i < k; ++i) falling *= static_cast<double>(j - i);
      sum = sum * x + falling;
    }
    d[k] = sum;
  }
}

// Coefficients of log(s(x)) from those of s(x) with s_0 = 1:  n l_n = n s_n - sum_k k l_k s_{n-k}.
template <std::size_t N>
std::array<double, N> log_of_series(const std::array<double, N>& s) {
  std::array<double, N> l{};
  for (std::size_t n = 1; n < N; ++n) {
    double sum = static_cast<double>(n) * s[n];
    for (std::size_t k = 1; k < n; ++k) sum -= static_cast<double>(k) * l[k] * s[n - k];
    l[n] = sum / static_cast<double>(n);
  }
  return l;
}

// log(log(1+x)/x) about 0; converges for |x| < 1, used below 0.1.
const std::array<double, 24>& log_log1p_series() {
  static const std::array<double, 24> series = [] {
    std::array<double, 24> s{};
    for (std::size_t j = 0; j < s.size(); ++j) {
      s[j] = (j % 2 == 0 ? 1.0 : -1.0) / static_cast<double>(j + 1);
    }
    return log_of_series(s);
  }();
  return series;
}

// log((e^x - 1)/x) about 0; converges for |x| < 2 pi, used below 0.5.
const std::array<double, 20>& log_expm1_series() {
  static const std::array<double, 20> series = [] {
    std::array<double, 20> s{};
    double factorial = 1;
    for (std::size_t j = 0; j < s.size(); ++j) {
      factorial *= static_cast<double>(j + 1);
      s[j] = 1 / factorial;
    }
    return log_of_series(s);
  }();
  return series;
}

// Derivatives of log f from those of f (f > 0), by the recurrence f (log f)' = f'.
void log_of(const Derivs& f, std::size_t order, Derivs& d) {
  static constexpr double binomial[5][5] = {
      {1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 1, 0, 0}, {1, 3, 3, 1, 0}, {1, 4, 6, 4, 1}};
  d[0] = std::log(f[0]);
  for (std::size_t n = 1; n <= order; ++n) {
    double sum = f[n];
    for (std::size_t k = 1; k < n; ++k) sum -= binomial[n - 1][k - 1] * d[k] * f[n - k];
    d[n] = sum / f[0];
  }
}

}  // namespace

void softplus_derivs(double x, std::size_t order, Derivs& d) {
  d[0] = x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  if (order == 0) return;
  const double s = sigmoid(x);
  const double q = sigmoid(-x);
  d[1] = s;
  d[2] = s * q;
  d[3] = s * q * (q - s);
  d[4] = s * q * (1 - 6 * s * q);
}

void log_softplus_derivs(double x, std::size_t order, Derivs& d) {
  const double e = std::exp(x);
  if (e < 0.1) {  // x + log(log(1+e)/e): the second term is a series in e
    euler_series(log_log1p_series(), e, order, d);
    d[0] += x;
    d[1] += 1;
    return;
  }
  Derivs sp{};
  softplus_derivs(x, order, sp);
  log_of(sp, order, d);
}

void log_ndtr_derivs(double x, std::size_t order, Derivs& d) {
  if (x > -5) {
    const double tail = std::erfc(std::abs(x) / std::sqrt(2.0)) / 2;  // beyond |x|
    const double phi_cdf = x > 0 ? 1 - tail : tail;
    d[0] = x > 0 ? std::log1p(-tail) : std::log(tail);
    if (order == 0) return;
    const double h = std::exp(-(x * x + kLog2Pi) / 2) / phi_cdf;
    const double q = x + h;
    d[1] = h;
    d[2] = -h * q;
    d[3] = h * (q * q - (1 - h * q));
    d[4] = -h * q * (q * q - 1 + h * q) + h * (2 * q * (1 - h * q) + (1 - h * q) * h - h * q * q);
    return;
  }
  // Mills' continued fraction, Phi(x) = phi(x) / (z + 1/(z + 2/(z + 3/...))), z = -x. The
  // differences that cancel in the formulas above are read off its tails:  q = x + h = 1/(z + 2p),
  // ...
  const double z = -x;
  double tail = 0;
  for (int k = 30; k >= 4; --k) tail = k / (z + tail);  // 28 would do at z = 5
  const double r = 1 / (z + tail);
  const double p = 1 / (z + 3 * r);
  const double q = 1 / (z + 2 * p);
  const double h = z + q;
  d[0] = -(x * x + kLog2Pi) / 2 - std::log(h);
  const double dq = q * (2 * p - q);                     // 1 - h q
  const double third = 2 * q * p * q * (3 * r - 2 * p);  // q^2 - dq
  d[1] = h;
  d[2] = -h * q;
  d[3] = h * third;
  d[4] = -h * q * third + h * (2 * q * dq + dq * h - h * q * q);
}

void log_cloglog_derivs(double x, std::size_t order, Derivs& d) {
  const double e = std::exp(x);
  if (e < 0.5) {  // x + log((e^w - 1)/w) at w = -e, a series in w
    euler_series(log_expm1_series(), -e, order, d);
    d[0] += x;
    d[1] += 1;
    return;
  }
  d[0] = std::log1p(-std::exp(-e));
  if (order == 0) return;
  // k = e/(e^e - 1);  k' = k(1 - e - k);  all terms vanish together as e grows.
  const double k = e > 700 ? 0 : e / std::expm1(e);
  if (k == 0) {
    d = {};
    return;
  }
  const double f = 1 - e - k;
  const double k1 = k * f;
  const double f1 = -e - k1;
  const double k2 = k1 * f + k * f1;
  const double f2 = -e - k2;
  d[1] = k;
  d[2] = k1;
  d[3] = k2;
  d[4] = k2 * f + 2 * k1 * f1 + k * f2;
}

void log1mexp_derivs(double x, std::size_t order, Derivs& d) {
  d[0] = x > -0.693 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
  if (order == 0) return;
  const double r = -1 / std::expm1(-x);  // -e^x/(1 - e^x)
  const double s = r * (1 - r);          // r' = r - r^2
  d[1] = r;
  d[2] = s;
  d[3] = s * (1 - 2 * r);
  d[4] = s * (1 - 6 * r + 6 * r * r);
}

namespace {

// 1/2!, 1/3!, ...
constexpr std::array<double, 12> kFactorials = [] {
  std::array<double, 12> out{};
  double inverse = 1;
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = inverse /= static_cast<double>(j + 2);
  return out;
}();

}  // namespace

void excess_derivs(double x, std::size_t order, Derivs& d) {
  if (std::abs(x) < 0.25) {  // x^2/2! + x^3/3! + ..., even and odd powers side by side
    const double y = x * x;
    double even = 0, odd = 0;
    for (std::size_t j = kFactorials.size(); j >= 2; j -= 2) {
      even = even * y + kFactorials[j - 2];
      odd = odd * y + kFactorials[j - 1];
    }
    d[0] = (even + odd * x) * y;
  } else {
    d[0] = std::expm1(x) - x;
  }
  if (order == 0) return;
  d[1] = std::expm1(x);
  d[2] = d[3] = d[4] = std::exp(x);
}

void expm1_derivs(double x, std::size_t order, Derivs& d) {
  d[0] = std::expm1(x);
  if (order > 0) d[1] = d[2] = d[3] = d[4] = std::exp(x);
}

void log1p_derivs(double x, std::size_t order, Derivs& d) {
  d[0] = std::log1p(x);
  if (order == 0) return;
  const double u = 1 / (1 + x);
  d[1] = u;
  d[2] = -u * u;
  d[3] = 2 * u * u * u;
  d[4] = -6 * u * u * u * u;
}

void log_expm1_ratio_derivs(double x, std::size_t order, Derivs& d) {
  if (std::abs(x) < 0.5) return power_series(log_expm1_series(), x, order, d);
  d[0] =
      x > 0 ? x + std::log1p(-std::exp(-x)) - std::log(x) : std::log1p(-std::exp(x)) - std::log(-x);
  if (order == 0) return;
  // log|e^x - 1| has the derivative 1 + r with r = 1/(e^x - 1), r' = -r(1 + r).
  const double r = 1 / std::expm1(x);
  const double s = -r * (1 + r);
  const double y = 1 / x;
  d[1] = 1 + r - y;
  d[2] = s + y * y;
  d[3] = -s * (1 + 2 * r) - 2 * y * y * y;
  d[4] = s * (1 + 6 * r + 6 * r * r) + 6 * y * y * y * y;
}

void log_log1p_ratio_derivs(double x, std::size_t order, Derivs& d) {
  if (std::abs(x) < 0.1) return power_series(log_log1p_series(), x, order, d);
  Derivs f{};
  log1p_derivs(x, kMaxOrder, f);
  if (x < 0) {
    for (double& value : f) value = -value;
  }
  log_of(f, order, d);
  const double y = 1 / x;
  d[0] -= std::log(std::abs(x));
  d[1] -= y;
  d[2] += y * y;
  d[3] -= 2 * y * y * y;
  d[4] += 6 * y * y * y * y;
}

namespace {

// B_2j / (2j (2j-1)), and what x^-(2j-1) leaves of it after each derivative.
constexpr std::size_t kBernoulli = 10;
using BernoulliTable = std::array<std::array<double, kMaxOrder + 1>, kBernoulli>;
constexpr BernoulliTable bernoulli_table() {
  constexpr std::array<double, kBernoulli> c = {1.0 / 12,
                                                -1.0 / 360,
                                                1.0 / 1260,
                                                -1.0 / 1680,
                                                1.0 / 1188,
                                                -691.0 / 360360,
                                                1.0 / 156,
                                                -3617.0 / 122400,
                                                43867.0 / 244188,
                                                -174611.0 / 125400};
  BernoulliTable table{};
  for (std::size_t j = 0; j < kBernoulli; ++j) {
    double term = c[j];
    for (std::size_t k = 0; k <= kMaxOrder; ++k) {
      table[j][k] = term;
      term *= -static_cast<double>(2 * j + 1 + k);
    }
  }
  return table;
}

// The Bernoulli series of s(x), x >= 7; Horner's rule for all orders side by side.
void stirling_series(double x, std::size_t order, Derivs& d) {
  static constexpr BernoulliTable c = bernoulli_table();
  const double y = 1 / x;
  const double y2 = y * y;
  std::size_t j = x < 10 ? kBernoulli : (x < 30 ? 7 : 4);  // terms above 1e-17
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
  if (order == 0) {
    while (j-- > 0) s0 = s0 * y2 + c[j][0];
    d[0] = s0 * y;
    return;
  }
  while (j-- > 0) {
    s0 = s0 * y2 + c[j][0];
    s1 = s1 * y2 + c[j][1];
    s2 = s2 * y2 + c[j][2];
    s3 = s3 * y2 + c[j][3];
    s4 = s4 * y2 + c[j][4];
  }
  d = {s0 * y, s1 * y2, s2 * y2 * y, s3 * y2 * y2, s4 * y2 * y2 * y};
}

}  // namespace

// log Gamma(1+x) = x log x - x + log(2 pi x)/2 + s(x). Large x: s is the Bernoulli series. Small x:
// s(x) = s(x+1) + (x + 1/2) log(1 + 1/x) - 1 steps up to z = x + N, and the sum of the steps is
//   (x + 1/2) log(z/x) + log(z^N / ((x+1) ... (x+N))) - N.
// Written by hand because Boost's polygamma, one order a call, is ten times slower.
void stirling_derivs(double x, std::size_t order, Derivs& d) {
  constexpr double kLarge = 7;
  if (!(x < kLarge)) return stirling_series(x, order, d);
  const double steps = std::ceil(kLarge - x);
  const double z = x + steps;
  stirling_series(z, order, d);
  const double log_ratio = std::log(z / x);
  double product = 1;
  double sum1 = 0, sum2 = 0, sum3 = 0, sum4 = 0;  // of 1/(x+k)^j, k = 1 ... N
  for (double k = 1; k <= steps; ++k) {
    const double a = 1 / (x + k);
    product *= z * a;
    sum1 += a;
    sum2 += a * a;
    sum3 += a * a * a;
    sum4 += a * a * a * a;
  }
  d[0] += (x + 0.5) * log_ratio + std::log(product) - steps;
  if (order == 0) return;
  const double a = 1 / x, b = 1 / z;
  d[1] += log_ratio + (b - a) / 2 - sum1;
  d[2] += b - a - (b * b - a * a) / 2 + sum2;
  d[3] += a * a - b * b + (b * b * b - a * a * a) - 2 * sum3;
  d[4] += 2 * (b * b * b - a * a * a) - 3 * (b * b * b * b - a * a * a * a) + 6 * sum4;
}

void lgamma1p_derivs(double x, std::size_t order, Derivs& d) {
  if (!(x < 1)) {  // or NaN, from which the recurrence would not come back
    stirling_derivs(x, order, d);
    const double y = 1 / x;
    const double log_x = std::log(x);
    d[0] += x * log_x - x + (kLog2Pi + log_x) / 2;
    d[1] += log_x + y / 2;
    d[2] += y - y * y / 2;
    d[3] += -y * y + y * y * y;
    d[4] += 2 * y * y * y - 3 * y * y * y * y;
    return;
  }
  // Gamma(2+x) = (1+x) Gamma(1+x); the value itself from Boost, which keeps digits near x = 0.
  lgamma1p_derivs(x + 1, order, d);
  const double u = 1 / (1 + x);
  d[0] = std::log1p(boost::math::tgamma1pm1(x, kPlain));
  d[1] -= u;
  d[2] += u * u;
  d[3] -= 2 * u * u * u;
  d[4] += 6 * u * u * u * u;
}

double digamma_inverse(double y) {
  // Minka's start, then Newton; psi is concave, so it converges from the left.
  double x = y > -2.22 ? std::exp(y) + 0.5 : -1 / (y + boost::math::constants::euler<double>());
  for (int i = 0; i < 50; ++i) {
    Derivs d{};
    lgamma1p_derivs(x, 2, d);
    const double step = (d[1] - 1 / x - y) / (d[2] + 1 / (x * x));
    const double next = x - step;
    const double safe = next > 0 ? next : x / 2;
    if (std::abs(safe - x) <= 1e-16 * x) return safe;
    x = safe;
  }
  return x;
}

double ndtri(double p) {
  if (p <= 0) return -kInfinity;
  if (p >= 1) return kInfinity;
  return -std::sqrt(2.0) * boost::math::erfc_inv(2 * p);
}

}  // namespace ggpm::internal::numeric
