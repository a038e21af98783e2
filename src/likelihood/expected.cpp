// KLD: expectations of log p and its derivatives under N(mean, variance).        (eqns df_dm_u,
// df_dv_u)
#include <limits>

#include "likelihood/base.hpp"
#include "likelihood/gaussian_average.hpp"
#include "likelihood/landmarks.hpp"
#include "likelihood/phi_nodes.hpp"

namespace ggpm::internal {
namespace {

// Three averages, or 3 + one or two with those of d/dphi from number `first` on, which only a
// gradient needs.
template <std::size_t Components>
Expected average(
    const LikelihoodBase& likelihood, const Row& row, double mean, double variance, int first) {
  std::array<LogDensity, numeric::kNodes> density;
  std::array<double, numeric::kNodes> value;
  PhiNodes<(Components > 3)> dphi(likelihood.dispersions(), first);
  const auto f = [&](std::span<const double> eta, numeric::Values<Components>& out) {
    likelihood.at(row, eta, Derivatives::second, std::span(density).first(eta.size()));
    if constexpr (Components > 3) likelihood.values(row, eta, value.data(), dphi.data());
    for (std::size_t i = 0; i < eta.size(); ++i) {
      out[i][0] = density[i].value;
      out[i][1] = density[i].d1;
      out[i][2] = density[i].d2;
      for (std::size_t k = 3; k < Components; ++k) out[i][k] = dphi(i, k - 3);
    }
  };
  const Landmarks marks(likelihood, row, variance);
  const double agreement = likelihood.differentiable() ? 1e-7 : 1e-9;
  const auto integral = gaussian_average<Components>(f, mean, variance, marks.points(), agreement);
  const auto& v = integral.value;
  Expected out{.value = v[0], .d1 = v[1], .d2 = v[2]};
  for (std::size_t k = 3; k < Components; ++k) out.dphi[k - 3] = v[k];
  return out;
}

// A Gaussian narrower than the spacing of doubles: log p is its parabola there. Where that is steep, no double
// is near enough to know its value.
bool is_unresolved(double mean, double variance) {
  const double spacing = std::numeric_limits<double>::epsilon() * std::abs(mean);
  return variance > 0 && variance < spacing * spacing;
}
Expected parabola(const LikelihoodBase& likelihood,
                  const Row& row,
                  double mean,
                  double variance,
                  int dispersions) {
  LogDensity l;
  likelihood.at(
      row, {&mean, 1}, dispersions > 0 ? Derivatives::dispersion : Derivatives::second, {&l, 1});
  const bool steep = !(l.d1 * l.d1 * variance < 1);
  Expected out{
      .value = steep ? std::numeric_limits<double>::quiet_NaN() : l.value + l.d2 * variance / 2,
      .d1 = l.d1,
      .d2 = l.d2};
  for (int k = 0; k < dispersions; ++k) {
    const auto j = static_cast<std::size_t>(k);
    out.dphi[j] = l.dphi[j] + l.d2_dphi[j] * variance / 2;
  }
  return out;
}

void scale(Expected& e, double weight) {
  if (weight == 1) return;
  for (double* part : {&e.value, &e.d1, &e.d2}) *part *= weight;
  e.dphi *= weight;
}

}  // namespace

void LikelihoodBase::expected(std::span<const Row> rows,
                              std::span<const double> mean,
                              std::span<const double> variance,
                              std::span<Expected> out,
                              Dphi wanted) const {
  const int count = wanted == Dphi::wanted ? dispersions() : 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_censored() && closed_expected(rows[i], mean[i], variance[i], out[i])) {
      scale(out[i], rows[i].weight);
      continue;
    }
    if (differentiable() && is_unresolved(mean[i], variance[i])) {
      out[i] = parabola(*this, rows[i], mean[i], variance[i], count);
      continue;
    }
    with_dispersions(count, out[i], [&](auto more, int first) {
      return average<3 + more.value>(*this, rows[i], mean[i], variance[i], first);
    });
  }
}

}  // namespace ggpm::internal
