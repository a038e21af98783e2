#include "gram/engine_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gram/tree_engine.hpp"
#include "gram/tree_points.hpp"
#include "index.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kWindows = 4, kMiddleOneIn = 4;
constexpr double kMostUnseen = 0.01;  // of the variance

struct Marginals {
  Vector mean, variance;
};

std::optional<Marginals> marginals_of(const Engine& engine,
                                      const Kernel& kernel,
                                      const Sites& sites,
                                      const Vector& prior_mean) {
  const std::unique_ptr<Gram> gram = engine.make_gram();
  const RowsHere& rows = gram->rows();
  const Sites here{rows.here(sites.precision), rows.here(sites.shift)};
  Conditioned q;
  gram->build(kernel);
  if (!gram->condition(here, rows.here(prior_mean), Compute::marginals, q)) return std::nullopt;
  return Marginals{rows.everywhere(q.mean), rows.everywhere(q.variance)};
}

EngineCheck compare(const Marginals& a, const Marginals& reference) {
  const Index n = a.mean.size();
  EngineCheck out{.rows = n};
  const auto rms = [n](const auto& x) { return std::sqrt(x.square().sum() / double(n)); };
  out.mean_rms_sd = rms((a.mean - reference.mean).array() / reference.variance.cwiseSqrt().array());
  out.log_variance_rms = rms((a.variance.array() / reference.variance.array()).log());
  return out;
}

// In the order of the data: rows that a table holds next to each other stay so.
std::vector<Index> some_rows(Index n, Index count) {
  std::vector<Index> all(at(n));
  std::iota(all.begin(), all.end(), Index{0});
  for (Index i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint64_t>(n - i);
    const std::uint64_t draw = mix_bits(static_cast<std::uint64_t>(i)) % left;
    std::swap(all[at(i)], all[at(i) + draw]);
  }
  all.resize(at(count));
  std::sort(all.begin(), all.end());
  return all;
}

// The rows nearest to one of them, the nearest first.
std::vector<Index> window_around(const Matrix& X, const Vector& scale, Index center) {
  const Vector distance =
      ((X.rowwise() - X.row(center)) * scale.cwiseInverse().asDiagonal()).rowwise().squaredNorm();
  std::vector<Index> rows(at(X.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  const auto nearer = [&](Index i, Index j) {
    return distance[i] != distance[j] ? distance[i] < distance[j] : i < j;
  };
  const auto end = rows.begin() + kMostCheckedRows;
  std::nth_element(rows.begin(), end, rows.end(), nearer);
  rows.erase(end, rows.end());
  std::sort(rows.begin(), rows.end(), nearer);
  return rows;
}

// In the middle of a window its own sites say nearly all that is known, if outputs are strong enough: what other rows
// add to it, E (m - m_window)^2 = V_window - V by the law of total variance, is small. None is told where it is not, since
// with weak outputs and a smooth function thousands of rows have a say in each mean.
std::optional<EngineCheck> check_in_windows(const Engine& engine,
                                            const Kernel& kernel,
                                            const Posterior& posterior) {
  const Matrix& X = engine.inputs();
  const Vector scale = input_scales(kernel, X);
  const Index middle = kMostCheckedRows / kMiddleOneIn;
  const auto count = double(kWindows * middle);
  double mean = 0, unseen = 0, log_variance = 0;
  for (Index w = 0; w < kWindows; ++w) {
    const auto center = static_cast<Index>(mix_bits(static_cast<std::uint64_t>(w)) %
                                           static_cast<std::uint64_t>(X.rows()));
    const std::vector<Index> rows = window_around(X, scale, center);
    const auto finer = engine.subset(rows)->finer();
    if (finer == nullptr) return std::nullopt;
    const auto truth = marginals_of(*finer,
                                    kernel,
                                    {posterior.sites.precision(rows), posterior.sites.shift(rows)},
                                    posterior.prior_mean(rows));
    if (!truth) return std::nullopt;
    for (Index k = 0; k < middle; ++k) {
      const Index i = rows[at(k)];
      const double v = truth->variance[k];
      mean += std::pow(posterior.mean[i] - truth->mean[k], 2) / v;
      unseen += 1 - posterior.variance[i] / v;
      log_variance += std::pow(std::log(posterior.variance[i] / v), 2);
    }
    if (unseen > kMostUnseen * count) return std::nullopt;
  }
  return EngineCheck{.rows = kWindows * middle,
                     .mean_rms_sd = std::sqrt(mean / count),
                     .log_variance_rms = std::sqrt(log_variance / count)};
}

}  // namespace

// A finer engine with the cuts elsewhere is nearer to the truth, and where it is wrong it is wrong
// elsewhere: the difference is what the engine itself is off by, or a little more. Of many rows windows
// are looked at, and where these do not know enough, some rows at random whose sites stand for all:
// with larger leaves and stronger sites than the engine has, hence a larger error.
std::optional<EngineCheck> check_engine(const Engine& engine,
                                        const Kernel& kernel,
                                        const Posterior& posterior) try {
  const Index n = engine.size();
  if (n <= kMostCheckedRows) {
    const auto finer = engine.finer();
    if (finer == nullptr) return std::nullopt;
    const auto truth = marginals_of(*finer, kernel, posterior.sites, posterior.prior_mean);
    if (!truth) return std::nullopt;
    return compare({posterior.mean, posterior.variance}, *truth);
  }
  if (const auto check = check_in_windows(engine, kernel, posterior)) return check;
  const std::vector<Index> rows = some_rows(n, kMostCheckedRows);
  const auto part = engine.subset(rows);
  const auto finer = part->finer();
  if (finer == nullptr) return std::nullopt;
  const double share = double(n) / double(kMostCheckedRows);
  const Sites sites{share * posterior.sites.precision(rows), share * posterior.sites.shift(rows)};
  const Vector prior_mean = posterior.prior_mean(rows);
  const auto own = marginals_of(*part, kernel, sites, prior_mean);
  const auto truth = marginals_of(*finer, kernel, sites, prior_mean);
  if (!own || !truth) return std::nullopt;
  return compare(*own, *truth);
} catch (const NumericalError&) {
  return std::nullopt;
}

}  // namespace ggpm::internal
