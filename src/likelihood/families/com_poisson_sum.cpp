#include "likelihood/families/com_poisson_sum.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

constexpr double kComPoissonDrop = 46;  // terms below e^-46 of the largest are left out
constexpr double kDirectTerms = 1500;   // sum every count up to about this many terms
constexpr double kGregoryStart = 40;    // counts below are always summed one by one
constexpr double kUnderflow = -745;     // e^-745 is no double above 0
constexpr double kFewSteps = 64;        // from one count to another by the recurrence
constexpr std::size_t kKnown = 4096;    // counts whose logarithms are kept
constexpr double kSafeExponent = 300;   // e^300 and its square are doubles

const std::array<double, kKnown>& known_logarithms() {
  static const std::array<double, kKnown> table = [] {
    std::array<double, kKnown> t{};
    for (std::size_t i = 1; i < t.size(); ++i) t[i] = std::log(static_cast<double>(i));
    return t;
  }();
  return table;
}

// log n for the counts that are summed one by one.
double log_count(double n) {
  return n < kKnown ? known_logarithms()[static_cast<std::size_t>(n)] : std::log(n);
}

// n^-nu for n up to `last`: an inference asks for thousands of sums of one nu, and a multiplication costs a
// fifth of an exponential.
const double* known_powers(double nu, std::size_t last) {
  struct Powers {
    double nu = -1;
    std::size_t filled = 1;
    std::array<double, kKnown> value{};
  };
  thread_local Powers powers;
  if (powers.nu != nu) {
    powers.nu = nu;
    powers.filled = 1;
  }
  for (std::size_t& n = powers.filled; n <= last; ++n)
    powers.value[n] = std::exp(-nu * known_logarithms()[n]);
  return powers.value.data();
}

double log_poisson(double n, double theta) { return numeric::log_poisson(n, theta); }

// log Pois(a) - log Pois(b). Most counts are small and near each other: then the recurrence costs
// a few additions, where two log probabilities cost most of a sum.
double log_ratio(double a, double b, double theta) {
  const double low = std::min(a, b), high = std::max(a, b);
  if (high - low > kFewSteps || high >= 4096 || a != std::floor(a) || b != std::floor(b))
    return log_poisson(a, theta) - log_poisson(b, theta);
  double sum = 0;
  for (double n = low + 1; n <= high; ++n) sum += theta - log_count(n);
  return a > b ? sum : -sum;
}

// The Gaussian limit, exact to 1/(nu mu): many counts inside a standard deviation, or counts that
// doubles skip.
bool is_gaussian(double mode, double nu) {
  return nu * mode > 1e12 && (mode > 2500 * nu || mode > 1e15);
}

// sum_{n >= M} f(n) = integral + sum_j weight_j f(M + j): f(M)/2 - Df/12 + D^2f/24 - 19 D^3f/720 +
// ... in forward differences.
const std::array<double, 9>& gregory_weights() {
  static const std::array<double, 9> weights = [] {
    constexpr std::array<double, 9> gregory = {0.5,
                                               -1.0 / 12,
                                               1.0 / 24,
                                               -19.0 / 720,
                                               3.0 / 160,
                                               -863.0 / 60480,
                                               275.0 / 24192,
                                               -33953.0 / 3628800,
                                               8183.0 / 1036800};
    std::array<double, 9> weight{};
    for (std::size_t k = 0; k < gregory.size(); ++k) {
      double binomial = 1;
      for (std::size_t j = 0; j <= k; ++j) {  // D^k f = sum_j (-1)^{k-j} C(k,j) f(M+j)
        weight[j] += gregory[k] * binomial * ((k - j) % 2 == 0 ? 1 : -1);
        binomial *= static_cast<double>(k - j) / static_cast<double>(j + 1);
      }
    }
    return weight;
  }();
  return weights;
}

// Every count, outward from the mode, by the recurrence Pois(n+1) = Pois(n) mu/(n+1). The neighbors of the
// mode always count: however small, they are all there is of the spread. `log_of` is log n, and `times` and
// `over` make a term of its neighbor.
template <class LogOf, class Times, class Over, class Visit>
void visit_outward(double theta,
                   double nu,
                   double mode,
                   const LogOf& log_of,
                   const Times& times,
                   const Over& over,
                   const Visit& visit) {
  double value = 0, w = 1;
  for (double n = mode; n < mode + 2 || -nu * value <= kComPoissonDrop;) {
    visit(n, w, value);
    n += 1;
    value += theta - log_of(n);
    w = times(w, n, value);
  }
  value = 0;
  w = 1;
  for (double n = mode; n > 0;) {
    value += log_of(n) - theta;
    w = over(w, n, value);
    n -= 1;
    if (n < mode - 1 && -nu * value > kComPoissonDrop) break;
    visit(n, w, value);
  }
}

template <class Visit>
void visit_one_by_one(double theta, double nu, double mode, double end, const Visit& visit) {
  constexpr double kLastKnown = kKnown - 1;
  const double last = std::ceil(std::max(end, mode)) + 2;
  if (last < kLastKnown && nu * std::max(std::abs(theta), log_count(kLastKnown)) < kSafeExponent) {
    const double* const power = known_powers(nu, static_cast<std::size_t>(last));
    const double* const logarithm = known_logarithms().data();
    const double x = std::exp(nu * theta);
    const auto at = [](double n) { return static_cast<std::size_t>(n); };
    visit_outward(
        theta,
        nu,
        mode,
        [&](double n) { return logarithm[at(n)]; },
        [&](double w, double n, double) { return w * (x * power[at(n)]); },
        [&](double w, double n, double) { return w / (x * power[at(n)]); },
        visit);
  } else {
    const auto term = [&](double, double, double value) { return std::exp(nu * value); };
    visit_outward(theta, nu, mode, log_count, term, term, visit);
  }
}

// Calls visit(n, weight (Pois(n)/Pois(mode))^nu, log Pois(n)/Pois(mode)) for nodes whose weighted sum
// equals the sum over all counts.
//  - few terms: every count, outward from the mode, by the recurrence Pois(n+1) = Pois(n) mu/(n+1);
//  - a mode far from 0: every half standard deviation. The terms are samples of an analytic bell,
//  and
//    the sum over a coarser grid is the same to exp(-8 pi^2) (Poisson summation);
//  - else (small nu, so terms change slowly): the first counts one by one, the rest as an integral
//    with Gregory's end correction.
template <class Visit>
void visit_counts(double theta, double nu, const Visit& visit) {
  const double mu = std::exp(theta);
  const double sd = std::sqrt(mu / nu);
  const double mode = std::floor(mu);
  const double reach = std::sqrt(2 * kComPoissonDrop) * sd;
  if (mu - reach > kGregoryStart && sd > 50) {
    const double step = sd / 2;
    const double top = log_poisson(mu, theta), at_mode = log_poisson(mode, theta);
    for (const double direction : {1.0, -1.0}) {
      for (double k = direction > 0 ? 0 : 1;; ++k) {
        const double n = mu + direction * k * step;
        if (n < 1) break;
        const double value = log_poisson(n, theta);
        if (nu * (top - value) > kComPoissonDrop) break;
        visit(n, step * std::exp(nu * (value - at_mode)), value - at_mode);
      }
    }
    return;
  }
  // Where the right tail ends: nu (n log(n/mu) - n + mu) = kComPoissonDrop, by a few Newton steps from
  // outside.
  double end = mu + reach + kComPoissonDrop / nu + 10;
  for (int i = 0; i < 60 && end > kDirectTerms; ++i) {
    const double f = nu * (end * (std::log(end) - theta) - end + mu) - kComPoissonDrop - 4;
    const double next = end - f / (nu * (std::log(end) - theta));
    if (!(next < end) || end - next < 1) break;
    end = next;
  }
  if (end - std::max(0.0, mu - reach) <= kDirectTerms) {
    visit_one_by_one(theta, nu, mode, end, visit);
    return;
  }
  const double top = log_poisson(mode, theta);
  const auto visit_at = [&](double n, double weight) {
    const double value = log_poisson(n, theta) - top;
    visit(n, weight * std::exp(nu * value), value);
  };
  for (double n = 0; n < kGregoryStart; ++n) visit_at(n, 1.0);
  const std::array<double, 9>& weight = gregory_weights();
  for (std::size_t j = 0; j < weight.size(); ++j) {
    visit_at(kGregoryStart + static_cast<double>(j), weight[j]);
  }
  using Gauss = boost::math::quadrature::gauss<double, 20>;
  const double begin = std::max(kGregoryStart, mu - reach);
  // n = begin + (end - begin) t^2: n log n turns the faster the nearer to 0.
  constexpr double kPanels = 6;
  const double half = 0.5 / kPanels;
  for (double panel = 0; panel < kPanels; ++panel) {
    for (std::size_t k = 0; k < Gauss::abscissa().size(); ++k) {
      for (const double side : {-1.0, 1.0}) {
        const double t = (2 * panel + 1 + side * Gauss::abscissa()[k]) * half;
        const double n = begin + (end - begin) * t * t;
        visit_at(n, half * Gauss::weights()[k] * 2 * t * (end - begin));
      }
    }
  }
}

// Sum of (Pois(n)/Pois(mode))^nu over the counts n, n+1, ..., or n, n-1, ..., 0, away from the mode.
class Tail {
 public:
  Tail(double theta, double nu, double mode) : theta_(theta), nu_(nu), mode_(mode) {}

  double sum(double n, bool up) const {
    // Outward from a term that is 0 all are; so far out that counts and logarithms do not change by
    // one step of the recurrence, they would be added for ever.
    if (log_term(n) < kUnderflow) return 0;
    const double end = length(n, up);
    if (end <= kDirectTerms) return one_by_one(n, up);
    return up ? over(n, n + end) : over(n - end, n);
  }

 private:
  double log_term(double n) const { return nu_ * (log_poisson(n, theta_) - top_); }

  // How many counts outward the terms are not negligible, to a factor of two.
  double length(double n, bool up) const {
    const double most = up ? 1e300 : n, first = log_term(n);
    double end = std::min(1.0, most);
    while (end < most && !(first - log_term(up ? n + end : n - end) > kComPoissonDrop))
      end = std::min(2 * end, most);
    return end;
  }

  double one_by_one(double n, bool up) const {
    double part = 0, d = log_ratio(n, mode_, theta_);
    const double start = d;
    while (nu_ * (start - d) <= kComPoissonDrop) {
      part += std::exp(nu_ * d);
      if (up) {
        n += 1;
        d += theta_ - log_count(n);
      } else {
        if (n == 0) break;
        d += log_count(n) - theta_;
        n -= 1;
      }
    }
    return part;
  }

  // Far from 0 the terms are an analytic curve: its integral, with Gregory's correction at the ends.
  double over(double low, double high) const {
    using Gauss = boost::math::quadrature::gauss<double, 20>;
    constexpr double kPanels = 8;
    double part = 0;
    for (; low < kGregoryStart; ++low) part += std::exp(log_term(low));
    for (std::size_t j = 0; j < gregory_weights().size(); ++j) {
      const auto k = static_cast<double>(j);
      part += gregory_weights()[j] * (std::exp(log_term(low + k)) + std::exp(log_term(high - k)));
    }
    // n = low + (high - low) t^2: n log n turns the faster the nearer to 0.
    const double half = 0.5 / kPanels;
    for (double panel = 0; panel < kPanels; ++panel) {
      for (std::size_t k = 0; k < Gauss::abscissa().size(); ++k) {
        for (const double side : {-1.0, 1.0}) {
          const double t = (2 * panel + 1 + side * Gauss::abscissa()[k]) * half;
          part += half * Gauss::weights()[k] * 2 * t * (high - low) *
                  std::exp(log_term(low + (high - low) * t * t));
        }
      }
    }
    return part;
  }

  double theta_, nu_, mode_;
  double top_ = log_poisson(mode_, theta_);
};

}  // namespace

ComPoissonSum com_poisson_sum(double theta, double nu, double y) {
  // Moments about the mode in one pass; shifting to the mean afterwards loses little, since the
  // mode is within a standard deviation of it.
  const double mode = std::floor(std::exp(theta));
  if (std::isinf(mode)) {  // a rate beyond the largest double: no count has any probability left
    return {mode, mode, mode, mode, -mode, -mode, -mode};
  }
  const double d_top = log_ratio(mode, y, theta);
  if (is_gaussian(mode, nu)) {
    const double mu = std::exp(theta);
    return {.log_sum = (numeric::kLog2Pi + theta - std::log(nu)) / 2 + nu * d_top,
            .mean = (1 / nu - 1) / 2 + (mu - y),
            .variance = mu / nu,
            .third = mu / (nu * nu),
            .d_mean = -1 / (2 * nu) + d_top,
            .n_d = -1 / (2 * nu * nu),
            .nn_d = -mu / (nu * nu)};
  }
  double rest = 0, at_mode = 0, s1 = 0, s2 = 0, s3 = 0, e0 = 0, e1 = 0, e2 = 0;
  visit_counts(theta, nu, [&](double n, double w, double d) {
    const double x = n - mode;
    (x == 0 ? at_mode : rest) += w;
    s1 += w * x;
    s2 += w * x * x;
    s3 += w * x * x * x;
    e0 += w * d;
    e1 += w * x * d;
    e2 += w * x * x * d;
  });
  const double s0 = at_mode + rest;
  const double m = s1 / s0;
  ComPoissonSum out{};
  // A tiny rest matters: at y = 0 and a small mean it is all there is of log p.
  out.log_sum = (at_mode == 1 ? std::log1p(rest) : std::log(s0)) + nu * d_top;
  out.mean = m + (mode - y);
  out.variance = s2 / s0 - m * m;
  out.third = s3 / s0 - 3 * m * s2 / s0 + 2 * m * m * m;
  const double d0 = e0 / s0;
  out.d_mean = d0 + d_top;
  out.n_d = e1 / s0 - m * d0;
  out.nn_d = (e2 - 2 * m * e1) / s0 + m * m * d0 - d0 * out.variance;
  return out;
}

double com_poisson_cdf(double theta, double nu, double y) {
  const double mode = std::floor(std::exp(theta));
  if (std::isinf(mode)) return 0;
  if (is_gaussian(mode, nu)) {  // with the first term of Edgeworth
    const double mu = std::exp(theta), sd = std::sqrt(mu / nu);
    const double z = (std::floor(y) + 0.5 - mu - (1 / nu - 1) / 2) / sd;
    if (std::abs(z) > 40) return z > 0 ? 1 : 0;  // z^2 may be no number
    const double bell = std::exp(-(z * z + numeric::kLog2Pi) / 2);
    return std::clamp(
        std::erfc(-z / std::sqrt(2.0)) / 2 - (z * z - 1) * bell / (6 * std::sqrt(nu * mu)),
        0.0,
        1.0);
  }
  double total = 0;
  visit_counts(theta, nu, [&](double, double w, double) { total += w; });
  // The part up to y or, above the mode, beyond y if that is the smaller one.
  const double limit = std::floor(y);
  const Tail tail(theta, nu, mode);
  const double beyond = limit >= mode ? tail.sum(limit + 1, true) / total : 1;
  const double p = beyond < 0.5 ? 1 - beyond : tail.sum(limit, false) / total;
  return std::clamp(p, 0.0, 1.0);
}

}  // namespace ggpm::internal
