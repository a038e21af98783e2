#include "likelihood/families/tweedie_sum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "numeric/incomplete_gamma.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

constexpr double kManyTerms = 100;   // a shape for which the steps of the number are told apart
constexpr double kSmooth = 1e5;      // numbers of which the limit is right to 1e-11
constexpr double kTweedieDrop = 40;  // terms below e^-40 of the largest are left out

// Terms of a peak of this width are as smooth as a Gaussian: every h-th of them, h times, is the
// sum of all to e^(-2 pi^2 9).
double stride(double width) { return std::max(1.0, std::floor(width / 3)); }

// Every number of terms is one of a fine grid, or doubles skip them anyway.
bool is_smooth(double numbers, double a) { return numbers > 4 * (1 + a) || numbers > 1e15; }

// The integral of Stirling's terms e^(-j0 (1+a) (u log u - u + 1)), u = j/j0, with the first order of 1/j0.
// The terms themselves lose the slope to rounding, and steps between them become 0 further out.
TweedieSum in_the_limit(double log_rate, double j0, double a) {
  const double width = 1 / (24 * j0 * (1 + a)), stirling = 1 / (12 * j0);
  return {(log_rate - numeric::kLog2Pi - std::log1p(a)) / 2 - width - stirling * (1 + 1 / a),
          0.5 + width + stirling * (1 + 1 / a),
          (0.5 + width * a) / (1 + a) + stirling / a};
}

TweedieSum add_terms(double log_j0, double a) {
  const double j0 = std::exp(log_j0), log_rate = log_j0 + std::log(a), rate = j0 * a;
  if (j0 > kSmooth && rate > kSmooth && is_smooth(j0, a)) return in_the_limit(log_rate, j0, a);
  const double width = std::sqrt(j0 / (1 + a)), h = stride(width);
  const auto term = [&](double j) {
    return numeric::log_poisson(j, log_j0) + numeric::log_poisson(j * a, log_rate) +
           std::log(j * a);
  };
  const double start = std::max(1.0, std::round(j0));
  double top = term(start), sum = 0, first = 0, second = 0;
  const auto add = [&](double j) {
    const double t = term(j);
    if (t > top) {  // a new scale
      const double shrink = std::exp(top - t);
      sum *= shrink;
      first *= shrink;
      second *= shrink;
      top = t;
    }
    const double w = std::exp(t - top), k = j * a;
    numeric::Derivs d{};
    numeric::lgamma1p_derivs(k, 1, d);
    sum += w;
    first += w * (1 + a) * (j - j0);
    second += w * (k * (log_rate - d[1]) + k - rate + 1);
    return t > top - kTweedieDrop;
  };
  for (double j = start; add(j); j += h) {
  }
  for (double j = start - h; j >= 1 && add(j); j -= h) {
  }
  return {top + std::log(sum * h), first / sum, second / sum};
}

// The sums of a thread's last rows. A sum depends on y and the dispersions alone, and inference asks
// for the density of a row at hundreds of latent values.
class LastSums {
 public:
  const TweedieSum& at(double log_j0, double a) {
    const std::size_t hash = std::hash<double>()(log_j0) ^ (std::hash<double>()(a) * 31);
    Entry& entry = entries_[(hash ^ (hash >> 32U) ^ (hash >> 48U)) % entries_.size()];
    if (entry.log_j0 != log_j0 || entry.a != a) entry = {log_j0, a, add_terms(log_j0, a)};
    return entry.sum;
  }

 private:
  struct Entry {
    double log_j0 = 0, a = 0;  // no shape is 0
    TweedieSum sum{};
  };
  std::vector<Entry> entries_ = std::vector<Entry>(4096);
};

// The distribution function of a standardized sum of many, to 0.004 skewness^3. `next` is what the
// excess kurtosis is of the skewness.
double edgeworth(double z, double skewness, double next) {
  if (std::abs(z) > 40) return z > 0 ? 1 : 0;
  const double bell = std::exp(-(z * z + numeric::kLog2Pi) / 2), square = z * z;
  const double second = next / 24 * (square - 3) + skewness / 72 * (square * (square - 10) + 15);
  const double correction = skewness * ((square - 1) / 6 + z * second);
  return std::clamp(std::erfc(-z / std::sqrt(2.0)) / 2 - bell * correction, 0.0, 1.0);
}

// P(Y <= y) is the sum over numbers j of Poisson(j; rate) P(ja, y), a bell times a step. The product
// is as smooth as the narrower of both.
double over_numbers(double rate, double a, double y) {
  const double log_rate = std::log(rate), h = stride(std::sqrt(rate / (1 + a)));
  double sum = h == 1 ? std::exp(-rate) : 0;
  const auto add = [&](double j) {
    const double weight = std::exp(numeric::log_poisson(j, log_rate));
    sum += h * weight * numeric::gamma_p(j * a, y);
    return weight > 1e-18 * (1 + sum);
  };
  const double start = std::max(1.0, std::round(rate));
  for (double j = start; add(j); j += h) {
  }
  for (double j = start - h; j >= 1 && add(j); j -= h) {
  }
  return std::min(1.0, sum);
}

// The same for a large: only few numbers are near the step, below it P is 1.
double over_steps(double rate, double a, double y) {
  const double log_rate = std::log(rate), reach = 9 * std::sqrt(y);
  const double low = std::max(0.0, std::floor((y - reach) / a)), high = (y + reach + 60) / a;
  double sum = numeric::gamma_q(low + 1, rate);
  if (sum == 1) return 1;  // far above; from there on, the numbers near the step are no longer few
  for (double j = low + 1; j < high; ++j)
    sum += std::exp(numeric::log_poisson(j, log_rate)) * numeric::gamma_p(j * a, y);
  return std::min(1.0, sum);
}

}  // namespace

TweedieSum tweedie_sum(double log_j0, double a) {
  thread_local LastSums sums;
  return sums.at(log_j0, a);
}

double tweedie_cdf(double rate, double a, double y) {
  if (!(y > 0)) return y < 0 ? 0 : std::exp(-rate);
  const double mean = rate * a, sd = std::sqrt(mean) * std::sqrt(1 + a), skewness = (a + 2) / sd;
  if (mean == 0 || std::isinf(y)) return 1;
  if (std::isinf(mean)) return 0;
  if (skewness < 3e-3 && is_smooth(rate, a))
    return edgeworth((y - mean) / sd, skewness, (a + 3) / sd);
  return a < kManyTerms ? over_numbers(rate, a, y) : over_steps(rate, a, y);
}

}  // namespace ggpm::internal
