#include "trust/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "numeric/constants.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

Matrix split(const Matrix& draws) {
  const Index half = draws.rows() / 2;
  Matrix out(half, 2 * draws.cols());
  out << draws.topRows(half), draws.bottomRows(half);
  return out;
}

// Normal scores of the ranks over all chains; equal draws share their mean rank.
Matrix rank_normal(const Matrix& draws) {
  const Index count = draws.size();
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  const double* const x = draws.data();
  std::sort(order.begin(), order.end(), [x](Index a, Index b) { return x[a] < x[b]; });
  Matrix out(draws.rows(), draws.cols());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && x[order[end]] == x[order[i]]) ++end;
    const double rank = static_cast<double>(i + end + 1) / 2;
    const double score = numeric::ndtri((rank - 0.375) / (static_cast<double>(count) + 0.25));
    for (; i < end; ++i) out.data()[order[i]] = score;
  }
  return out;
}

bool constant(const Matrix& draws) { return draws.minCoeff() == draws.maxCoeff(); }

// Between the order statistics, linearly.
double quantile_of(const Matrix& draws, double p) {
  std::vector<double> all(draws.data(), draws.data() + draws.size());
  const double place = p * static_cast<double>(all.size() - 1);
  const auto lower = all.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(all.begin(), lower, all.end());
  if (lower + 1 == all.end()) return *lower;
  const double upper = *std::min_element(lower + 1, all.end());
  return *lower + (place - std::floor(place)) * (upper - *lower);
}

double variance_of_means(const Matrix& chains) {
  const Eigen::RowVectorXd means = chains.colwise().mean();
  return (means.array() - means.mean()).square().sum() / static_cast<double>(means.size() - 1);
}

double r_hat(const Matrix& chains) {
  const auto n = static_cast<double>(chains.rows()), m = static_cast<double>(chains.cols());
  const double within = (chains.rowwise() - chains.colwise().mean()).squaredNorm() / ((n - 1) * m);
  return std::sqrt((n * variance_of_means(chains) / within + n - 1) / n);
}

// The correlation of draws that are `lag` apart, seen from all chains.
class Autocorrelation {
 public:
  explicit Autocorrelation(const Matrix& chains)
      : centered_(chains.rowwise() - chains.colwise().mean()) {
    const auto n = static_cast<double>(chains.rows());
    within_ = covariance(0) * n / (n - 1);
    total_ = covariance(0) + variance_of_means(chains);
  }
  double operator()(Index lag) const { return 1 - (within_ - covariance(lag)) / total_; }

 private:
  double covariance(Index lag) const {
    const Index n = centered_.rows();
    return (centered_.topRows(n - lag).array() * centered_.bottomRows(n - lag).array()).sum() /
           static_cast<double>(centered_.size());
  }

  Matrix centered_;
  double within_ = 0, total_ = 0;
};

// Geyer's initial monotone sequence: sums of correlations at an even lag and the next, as long as
// they are positive, none larger than the one before.
double ess(const Matrix& chains) {
  const Index n = chains.rows();
  if (n < 4) return kNaN;
  const auto count = static_cast<double>(chains.size());
  if (constant(chains)) return count;
  const Autocorrelation rho(chains);
  double even = 1, pair = 1 + rho(1), last = pair, sum = 0;
  for (Index lag = 2; lag < n - 2 && pair > 0; lag += 2) {
    last = std::min(pair, last);
    sum += last;
    even = rho(lag);
    pair = even + rho(lag + 1);
  }
  // The even one of the pair at which the sum ends counts once. Chains that alternate can beat
  // independent draws, but not without bound.
  const double time = std::max(2 * sum - 1 + std::max(even, 0.0), 1 / std::log10(count));
  return count / time;
}

double quantile_ess(const Matrix& draws, double p) {
  const double q = quantile_of(draws, p);
  return ess(split((draws.array() <= q).cast<double>().matrix()));
}

}  // namespace

double split_r_hat(const Matrix& draws) {
  if (draws.rows() < 4) return kNaN;
  if (constant(draws)) return 1;
  const Matrix chains = split(draws);
  const Matrix folded = (chains.array() - quantile_of(chains, 0.5)).abs().matrix();
  return std::max(r_hat(rank_normal(chains)), r_hat(rank_normal(folded)));
}

double bulk_ess(const Matrix& draws) { return ess(rank_normal(split(draws))); }

double tail_ess(const Matrix& draws) {
  return std::min(quantile_ess(draws, 0.05), quantile_ess(draws, 0.95));
}

double mean_ess(const Matrix& draws) { return ess(split(draws)); }

}  // namespace ggpm::internal
