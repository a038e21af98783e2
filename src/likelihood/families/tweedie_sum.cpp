#include "likelihood/families/tweedie_sum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "numeric/incomplete_gamma.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

constexpr double kTweedieDrop = 40;  // terms below e^-40 of the largest are left out

// Terms of a peak of this width are as smooth as a Gaussian: every h-th of them, h times, is the
// sum of all to e^(-2 pi^2 9).
double stride(double width) { return std::max(1.0, std::floor(width / 3)); }

TweedieSum add_terms(double log_j0, double a) {
  const double j0 = std::exp(log_j0), log_rate = log_j0 + std::log(a), rate = j0 * a;
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

}  // namespace

TweedieSum tweedie_sum(double log_j0, double a) {
  thread_local LastSums sums;
  return sums.at(log_j0, a);
}

double tweedie_cdf(double rate, double a, double y) {
  const double zero = std::exp(-rate);
  if (!(y > 0)) return y < 0 ? 0 : zero;
  const double log_rate = std::log(rate), h = stride(std::sqrt(rate));
  double sum = h == 1 ? zero : 0;
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

}  // namespace ggpm::internal
