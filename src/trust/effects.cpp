#include "trust/effects.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/random.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
namespace {

constexpr double kLower = 0.025, kUpper = 0.975;
constexpr Index kMostRows = 500, kMostEvaluations = 500'000, kCostlyEvaluations = 50'000;
constexpr Index kFewestEffectDraws = 100;

// A mean over draws and its Monte Carlo standard error.
struct Average {
  double value = 0, error = 0;
};
// Draws of a chain are worth fewer that are independent.
Average average(const Vector& x, double effective) {
  const auto n = static_cast<double>(x.size());
  const double mean = x.mean();
  return {mean, std::sqrt((x.array() - mean).square().sum() / (n - 1) / std::min(n, effective))};
}

// Of one row: (count) each, a number for each draw.
struct RowDraws {
  Vector mean, variance, density;
  double log_scale = 0;  // what was taken out of the logarithms of the densities

  RowDraws(const Likelihood& likelihood, const Row& row, const Vector& eta)
      : mean(eta.size()), variance(eta.size()), density(eta.size()) {
    LogDensity at;
    for (Index s = 0; s < eta.size(); ++s) {
      mean[s] = likelihood.mean(row, eta[s]);
      variance[s] = likelihood.variance(row, eta[s]);
      likelihood.log_density({&row, 1}, {&eta[s], 1}, Derivatives::value, {&at, 1});
      density[s] = at.value;
    }
    log_scale = density.maxCoeff();
    density = (density.array() - log_scale).exp();
  }
  double predictive_sd() const {
    return std::sqrt(variance.mean() + (mean.array() - mean.mean()).square().mean());
  }
};

// P(low <= Y <= high | eta)
double inside(const Likelihood& likelihood, const Row& row, double eta, double low, double high) {
  const double below = just_below(likelihood.domain(), low);
  return likelihood.cdf(row, eta, high) - likelihood.cdf(row, eta, below);
}

struct Differences {
  Average mean{kNaN, 0}, interval{kNaN, 0}, log_density{kNaN, 0};
};

Differences differences(const Likelihood& likelihood,
                        const Row& row,
                        const Vector& eta,
                        const RowDraws& draws,
                        double effective,
                        double latent_mean,
                        double latent_variance) {
  Differences out;
  const auto q = likelihood.predictive(row, latent_mean, latent_variance);
  const double sd = draws.predictive_sd();
  if (sd > 0 && std::isfinite(sd) && std::isfinite(q->mean())) {
    const Average truth = average(draws.mean, effective);
    out.mean = {(q->mean() - truth.value) / sd, truth.error / sd};
  }
  const double low = q->quantile(kLower), high = q->quantile(kUpper);
  if (std::isfinite(low) && std::isfinite(high)) {
    Vector held(eta.size());
    for (Index s = 0; s < eta.size(); ++s) held[s] = inside(likelihood, row, eta[s], low, high);
    const Average truth = average(held, effective);
    const double below = just_below(likelihood.domain(), low);
    out.interval = {q->cdf(high) - q->cdf(below) - truth.value, truth.error};
  }
  const Average density = average(draws.density, effective);
  if (density.value > 0)
    out.log_density = {q->log_density(row.y) - std::log(density.value) - draws.log_scale,
                       density.error / density.value};
  return out;
}

// Of those that there are; rows count from 0.
Effect summarize(const std::vector<Average>& all, const std::vector<Index>& rows) {
  Effect out;
  double sum = 0, count = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double size = std::abs(all[k].value);
    if (!std::isfinite(size)) continue;
    sum += size;
    count += 1;
    if (size < out.largest) continue;
    out.largest = size;
    out.error = all[k].error;
    out.row = rows[k];
  }
  out.average = count > 0 ? sum / count : 0;
  return out;
}

// (rows, count) evenly through the chains.
Matrix thinned(const Matrix& draws, const std::vector<Index>& rows, Index count) {
  count = std::min(count, draws.cols());
  std::vector<Index> columns;
  for (Index s = 0; s < count; ++s) columns.push_back(s * draws.cols() / count);
  return draws(rows, columns);
}

}  // namespace

void measure_effects(const Likelihood& likelihood,
                     const std::vector<Row>& rows,
                     const PosteriorSample& truth,
                     std::span<const Judged> judged,
                     int threads) {
  const std::vector<Index> chosen =
      numeric::some_of(static_cast<Index>(rows.size()), kMostRows, /*seed=*/1);
  const auto count = static_cast<Index>(chosen.size());
  const Index most = likelihood.costly() ? kCostlyEvaluations : kMostEvaluations;
  const Matrix eta = thinned(truth.draws, chosen, std::max(kFewestEffectDraws, most / count));
  std::vector<std::vector<Differences>> found(judged.size());
  for (auto& of_method : found) of_method.resize(chosen.size());
  for_blocks(count, 4, threads, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const auto i = chosen[static_cast<std::size_t>(k)];
      Row row = rows[static_cast<std::size_t>(i)];
      row.weight = 1;
      const Vector at = eta.row(k);
      const RowDraws of_row(likelihood, row, at);
      for (std::size_t m = 0; m < judged.size(); ++m) {
        const Posterior& q = judged[m].posterior;
        found[m][static_cast<std::size_t>(k)] =
            differences(likelihood, row, at, of_row, truth.bulk_ess[i], q.mean[i], q.variance[i]);
      }
    }
  });
  for (std::size_t m = 0; m < judged.size(); ++m) {
    const auto of = [&](Average Differences::*what) {
      std::vector<Average> all;
      for (const Differences& d : found[m]) all.push_back(d.*what);
      return summarize(all, chosen);
    };
    MethodError& out = judged[m].out;
    out.mean = of(&Differences::mean);
    out.interval = of(&Differences::interval);
    out.log_density = of(&Differences::log_density);
  }
}

}  // namespace ggpm::internal
