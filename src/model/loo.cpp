// Leave-one-out scores from the cavities of the sites.
#include <cmath>
#include <tuple>

#include "ggpm/score.hpp"
#include "learn/parallel.hpp"
#include "model/checked_predictive.hpp"
#include "model/state.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal {

std::unique_ptr<Predictive> predict_left_out(const ModelState& state,
                                             Index i,
                                             double latent_mean,
                                             double latent_variance) {
  const Likelihood& likelihood = *state.task.parts.likelihood;
  const Dataset& data = *state.task.data;
  const Row row = data.observed.at(i);
  PredictiveFacts facts = predictive_facts(likelihood, row, latent_mean, latent_variance);
  facts.source = data.source;
  facts.row = row_number(data.row_numbers, i);
  facts.left_out = true;
  return make_checked_predictive(likelihood.predictive(row, latent_mean, latent_variance), facts);
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

LeaveOneOutScores GeneralizedGP::loo() const {
  const ModelParts& parts = state_->task.parts;
  const std::vector<Row> rows = state_->task.data->observed.rows();
  const LeaveOneOut cavities = leave_one_out(*parts.likelihood, rows, state_->posterior);
  const auto n = static_cast<Index>(rows.size());
  LeaveOneOutScores out{cavities.mean,
                        cavities.variance,
                        cavities.log_density,
                        Vector(n),
                        Vector(n),
                        cavities.improper};
  const RowShare share(n);
  const auto one = [&](Index i) {
    const Row& row = rows[static_cast<std::size_t>(i)];
    const auto p = predict_left_out(*state_, i, out.latent_mean[i], out.latent_variance[i]);
    if (!std::isfinite(out.log_density[i])) out.log_density[i] = p->log_density(row.y);
    std::tie(out.cdf_below[i], out.cdf[i]) = probability_bounds(*p, domain(), row);
  };
  share.together([&] {
    const Index first = share.begin();
    for_blocks(share.end() - first, 16, 0, [&](Index begin, Index end) {
      for (Index i = first + begin; i < first + end; ++i) one(i);
    });
  });
  for (Vector* part : {&out.log_density, &out.cdf_below, &out.cdf}) share.gather(*part);
  if (const Vector& offset = state_->task.data->observed.offset; offset.size() > 0)
    out.latent_mean -= offset;
  const DensityDifference whole = difference_of(out.log_density, Vector::Zero(n));
  out.total = whole.total;
  out.standard_error = whole.standard_error;
  return out;
}

DensityDifference difference_of(const Vector& a, const Vector& b) {
  const Vector d = a - b;
  const auto n = static_cast<double>(d.size());
  const double variance = n > 1 ? (d.array() - d.mean()).square().sum() / (n - 1) : 0;
  return {d.sum(), std::sqrt(n * variance)};
}

Vector LeaveOneOutScores::pit(std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  return draw_pit(cdf_below, cdf, random);
}

}  // namespace ggpm
