#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "ggpm/study.hpp"

namespace ggpm {

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      out[order[i]] = (static_cast<double>(begin + end) + 1) / 2;
    begin = end;
  }
  return out;
}

//   12 sum_j (R_j - b (k + 1) / 2)^2 / (b k (k + 1) - sum_ties (t^3 - t) / (k - 1))
// where R_j is the sum of ranks of treatment j and t the size of a group of ties in a block.
Friedman friedman_test(const Matrix& values) {
  const Index blocks = values.rows(), k = values.cols();
  if (blocks < 1 || k < 2) throw UsageError("friedman test: needs a block and two treatments");
  if (!values.allFinite()) throw DataError("friedman test: a value is not a number");
  Vector sums = Vector::Zero(k);
  double ties = 0;
  for (Index i = 0; i < blocks; ++i) {
    const Vector row = values.row(i);
    const std::vector<double> r = ranks({row.data(), static_cast<std::size_t>(k)});
    sums += Eigen::Map<const Vector>(r.data(), k);
    for (Index j = 0; j < k; ++j) {  // a group of t ties is met t times
      const auto t = static_cast<double>((row.array() == row[j]).count());
      ties += t * t - 1;
    }
  }
  const auto b = static_cast<double>(blocks), treatments = static_cast<double>(k);
  Friedman out;
  out.average_ranks.resize(static_cast<std::size_t>(k));
  for (Index j = 0; j < k; ++j) out.average_ranks[static_cast<std::size_t>(j)] = sums[j] / b;
  out.degrees_of_freedom = static_cast<int>(k) - 1;
  const double scale = b * treatments * (treatments + 1) - ties / (treatments - 1);
  if (!(scale > 1e-9)) return out;
  out.statistic = 12 * (sums.array() - b * (treatments + 1) / 2).square().sum() / scale;
  const boost::math::chi_squared distribution(treatments - 1);
  out.p = boost::math::cdf(boost::math::complement(distribution, out.statistic));
  return out;
}

std::vector<PairTest> pairwise_friedman_tests(const Matrix& values) {
  std::vector<PairTest> out;
  for (Index i = 0; i < values.cols(); ++i)
    for (Index j = i + 1; j < values.cols(); ++j) {
      Matrix pair(values.rows(), 2);
      pair << values.col(i), values.col(j);
      const Friedman test = friedman_test(pair);
      out.push_back({i, j, test.average_ranks[0], test.average_ranks[1], test.p, test.p});
    }
  std::vector<std::size_t> order(out.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return out[a].p < out[b].p; });
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    PairTest& test = out[order[i]];
    largest = std::max(largest, static_cast<double>(order.size() - i) * test.p);
    test.adjusted_p = std::min(1.0, largest);
  }
  return out;
}

MeanSd mean_sd(std::span<const double> values) {
  if (values.empty()) return {};
  const Eigen::Map<const Vector> v(values.data(), static_cast<Index>(values.size()));
  MeanSd out{.mean = v.mean()};
  if (values.size() > 1)
    out.sd = std::sqrt((v.array() - out.mean).square().sum() / static_cast<double>(v.size() - 1));
  return out;
}

double paired_t_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.size() < 2)
    throw UsageError("paired t-test: needs two samples of the same size, at least 2");
  std::vector<double> difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  const MeanSd d = mean_sd(difference);
  if (d.mean == 0) return 1;
  if (d.sd == 0) return 0;
  const auto n = static_cast<double>(a.size());
  const double t = std::abs(d.mean) / (d.sd / std::sqrt(n));
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 1), t));
}

}  // namespace ggpm
