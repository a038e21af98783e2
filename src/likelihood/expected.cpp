// KLD: expectations of log p and its derivatives under N(mean, variance).        (eqns df_dm_u,
// df_dv_u)
#include "likelihood/base.hpp"
#include "likelihood/gaussian_average.hpp"

namespace ggpm {
namespace {

constexpr std::size_t kComponents = 3 + kMaxDispersions;

Expected average(const LikelihoodBase& likelihood, const Row& row, double mean, double variance) {
  const bool with_phi = likelihood.dispersions() > 0;
  std::array<LogDensity, numeric::kNodes> density;
  std::array<double, numeric::kNodes> value;
  std::array<PhiArray, numeric::kNodes> dphi{};
  const auto f = [&](std::span<const double> eta, numeric::Values<kComponents>& out) {
    likelihood.at(row, eta, Derivatives::second, std::span(density).first(eta.size()));
    if (with_phi) likelihood.values(row, eta, value.data(), dphi.data());
    for (std::size_t i = 0; i < eta.size(); ++i) {
      out[i] = {density[i].value, density[i].d1, density[i].d2, dphi[i][0], dphi[i][1]};
    }
  };
  // A log density that turns much faster than the Gaussian would be stepped over: show where.
  std::array<double, 5> landmarks{};
  std::size_t count = 0;
  const double peak = likelihood.peak(row);
  if (std::isfinite(peak)) {
    LogDensity l;
    likelihood.at(row, std::span<const double>(&peak, 1), Derivatives::second, std::span(&l, 1));
    const double width = 1 / std::sqrt(std::abs(l.d2));
    if (width < 0.05 * std::sqrt(variance)) {
      for (const double k : {-30.0, -4.0, 0.0, 4.0, 30.0}) landmarks[count++] = peak + k * width;
    }
  }
  const auto integral = gaussian_average<kComponents>(
      f, mean, variance, std::span<const double>(landmarks).first(count));
  const auto& v = integral.value;
  return {.value = v[0], .d1 = v[1], .d2 = v[2], .dphi = {v[3], v[4]}};
}

}  // namespace

void LikelihoodBase::expected(std::span<const Row> rows,
                              std::span<const double> mean,
                              std::span<const double> variance,
                              std::span<Expected> out) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!closed_expected(rows[i], mean[i], variance[i], out[i])) {
      out[i] = average(*this, rows[i], mean[i], variance[i]);
    }
  }
}

}  // namespace ggpm
