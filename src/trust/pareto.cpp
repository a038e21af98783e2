#include "trust/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/constants.hpp"

namespace ggpm::internal {
namespace {

// Where the largest weight is within a third of the median one, what is beyond has no shape of a tail.
constexpr double kNearlyEqual = 0.3;  // of logarithms

double mean_log1p(double b, const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += std::log1p(-b * v);
  return sum / static_cast<double>(x.size());
}

// Posterior mean of the generalized Pareto shape over a profile of the likelihood; x ascends, is
// positive. The result is drawn weakly towards 1/2.
double generalized_pareto_shape(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  const int grid = 30 + static_cast<int>(std::sqrt(n));
  const double quartile = x[(x.size() + 2) / 4 - 1];
  Vector theta(grid), log_profile(grid);
  for (int j = 0; j < grid; ++j) {
    theta[j] = 1 / x.back() + (1 - std::sqrt(grid / (j + 0.5))) / (3 * quartile);
    const double k = mean_log1p(theta[j], x);
    log_profile[j] = n * (std::log(-theta[j] / k) - k - 1);
  }
  const Vector weights = (log_profile.array() - log_profile.maxCoeff()).exp();
  const double k = mean_log1p(theta.dot(weights) / weights.sum(), x);
  return (n * k + 10 * 0.5) / (n + 10);
}

}  // namespace

double pareto_k(Vector log_weights) {
  const Index count = log_weights.size();
  const auto size = static_cast<double>(count);
  const auto tail = static_cast<Index>(std::ceil(std::min(size / 5, 3 * std::sqrt(size))));
  if (tail < 5) return kNaN;
  std::sort(log_weights.begin(), log_weights.end());
  const double top = log_weights[count - 1];
  if (!std::isfinite(top)) return kNaN;
  if (top - log_weights[count / 2] < kNearlyEqual) return 0;
  const double cut = std::exp(log_weights[count - tail - 1] - top);
  std::vector<double> beyond;
  for (Index i = count - tail; i < count; ++i) {
    const double excess = std::exp(log_weights[i] - top) - cut;
    if (excess > 0) beyond.push_back(excess);
  }
  return beyond.size() < 5 ? kNaN : generalized_pareto_shape(beyond);
}

}  // namespace ggpm::internal
