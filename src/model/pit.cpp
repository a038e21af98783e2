#include <algorithm>
#include <cmath>

#include "ggpm/score.hpp"
#include "numeric/random.hpp"

namespace ggpm {

using namespace internal;

namespace {

// P(sup |B| > x) for a Brownian bridge, with Stephens' correction for n.
double kolmogorov_tail(double distance, double n) {
  const double x = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  if (x < 0.2) return 1;
  double sum = 0;
  for (int k = 1; k <= 100; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace

PitSummary summarize_pit(Vector pit) {
  PitSummary out;
  out.count = pit.size();
  if (pit.size() == 0) return out;
  const auto n = static_cast<double>(pit.size());
  out.mean = pit.mean();
  out.variance = (pit.array() - out.mean).square().sum() / n;
  std::sort(pit.begin(), pit.end());
  for (Index i = 0; i < pit.size(); ++i) {
    const double p = pit(i);
    out.distance = std::max(
        {out.distance, static_cast<double>(i + 1) / n - p, p - static_cast<double>(i) / n});
    ++out.histogram[std::min<std::size_t>(static_cast<std::size_t>(std::max(p, 0.0) * 10), 9)];
  }
  out.p_value = kolmogorov_tail(out.distance, n);
  return out;
}

Vector draw_pit(const Vector& cdf_below, const Vector& cdf, std::mt19937_64& random) {
  Vector out(cdf_below.size());
  for (Index i = 0; i < out.size(); ++i) {
    out[i] = cdf_below[i] + numeric::uniform(random) * (cdf[i] - cdf_below[i]);
  }
  return out;
}

}  // namespace ggpm
