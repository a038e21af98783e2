#include "gram/engine_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gram/tree_points.hpp"
#include "index.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kMostCheckedRows = 20'000;  // of a check

struct Marginals {
  Vector mean, variance;
};

std::optional<Marginals> marginals_of(const Engine& engine,
                                      const Kernel& kernel,
                                      const Sites& sites,
                                      const Vector& prior_mean) {
  const std::unique_ptr<Gram> gram = engine.make_gram();
  Conditioned q;
  gram->build(kernel);
  if (!gram->condition(sites, prior_mean, Compute::marginals, q)) return std::nullopt;
  return Marginals{std::move(q.mean), std::move(q.variance)};
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

}  // namespace

// A finer engine with the cuts elsewhere is nearer to the truth, and where it is wrong it is wrong
// elsewhere: the difference is what the engine itself is off by, or a little more. Rows alone near
// the one in question would be no truth: with weak outputs and a smooth function thousands of rows
// have a say in each mean.
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
