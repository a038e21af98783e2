#include "learn/carry.hpp"

#include <algorithm>
#include <cmath>

#include "ggpm/classes.hpp"
#include "gram/lapack.hpp"
#include "inference/sites.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
namespace {

constexpr double kFlat = 1;  // nats: less of a curvature does not grow with the rows

// Those of a step of Newton's method from eta.
Sites sites_at(const Likelihood& likelihood, std::span<const Row> rows, const Vector& eta) {
  Sites out{Vector(eta.size()), Vector(eta.size())};
  for_rows(eta.size(), [&](Index begin, Index end) {
    const auto first = static_cast<std::size_t>(begin),
               count = static_cast<std::size_t>(end - begin);
    std::vector<LogDensity> l(count);
    likelihood.log_density(
        rows.subspan(first, count), {eta.data() + begin, count}, Derivatives::second, l);
    for (std::size_t k = 0; k < count; ++k) {
      const Index i = begin + static_cast<Index>(k);
      set_parabola(l[k].d1, l[k].d2, eta[i], i, out);
    }
  });
  return out;
}

Posterior foretold(const Climb& climb, const LearningTask& from, const LearningTask& to) {
  const ModelParts parts = with_values(to.parts, to.space.hyperparameters(climb.at));
  const auto conditional = from.engine->condition(parts.kernel, climb.best.inferred.posterior);
  Vector eta;
  conditional->predict_shift(to.data->X, eta);
  eta += parts.mean.evaluate(to.data->X);
  if (to.data->observed.offset.size() > 0) eta += to.data->observed.offset;
  Posterior out;
  out.sites = sites_at(*parts.likelihood, to.data->observed.rows(), eta);
  out.alpha = Vector::Zero(eta.size());
  return out;
}

}  // namespace

void carry_curvature(std::vector<Climb>& climbs, Index from, Index to) {
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  for (Climb& c : climbs) {
    if (!c.curvature.allFinite()) continue;
    Matrix vectors = c.curvature;
    Vector values = lapack::eigen_symmetric(vectors);
    for (double& value : values) value += (ratio - 1) * std::max(0.0, value - kFlat);
    c.curvature = vectors * values.asDiagonal() * vectors.transpose();
  }
}

void carry_sites(std::vector<Climb>& climbs, const LearningTask& from, const LearningTask& to) {
  const Likelihood& likelihood = *to.parts.likelihood;
  if (has_several_latents(likelihood) || !likelihood.log_concave() || !likelihood.differentiable())
    return;
  for (Climb& c : climbs) {
    if (c.best.inferred.posterior.sites.size() != from.data->size()) continue;
    Posterior next;
    try {
      next = foretold(c, from, to);
    } catch (const NumericalError&) {
      // inference begins by itself
    }
    const bool finite = next.sites.precision.allFinite() && next.sites.shift.allFinite();
    c.best.inferred.posterior = finite ? std::move(next) : Posterior{};
  }
}

}  // namespace ggpm::internal
