// KLD: expectations of log p and its derivatives under N(mean, variance).        (eqns df_dm_u,
// df_dv_u)
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
    with_dispersions(count, out[i], [&](auto more, int first) {
      return average<3 + more.value>(*this, rows[i], mean[i], variance[i], first);
    });
  }
}

}  // namespace ggpm::internal
