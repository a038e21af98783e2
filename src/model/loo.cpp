// Leave-one-out scores from the cavities of the sites.
#include <cmath>
#include <tuple>

#include "ggpm/score.hpp"
#include "learn/parallel.hpp"
#include "model/checked_predictive.hpp"
#include "model/ensemble.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal {

std::unique_ptr<Predictive> predict_left_out(const ModelState& state,
                                             Index i,
                                             double latent_mean,
                                             double latent_variance) {
  const Row row = state.task.data->observed.at(i);
  return check_left_out(state,
                        i,
                        latent_mean,
                        latent_variance,
                        state.task.parts.likelihood->predictive(row, latent_mean, latent_variance));
}

std::unique_ptr<Predictive> check_left_out(const ModelState& state,
                                           Index i,
                                           double latent_mean,
                                           double latent_variance,
                                           std::unique_ptr<Predictive> predictive) {
  const Likelihood& likelihood = *state.task.parts.likelihood;
  const Dataset& data = *state.task.data;
  const Row row = data.observed.at(i);
  PredictiveFacts facts = predictive_facts(likelihood, row, latent_mean, latent_variance);
  facts.source = data.source;
  facts.row = row_number(data.row_numbers, i);
  facts.left_out = true;
  return make_checked_predictive(std::move(predictive), facts);
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

namespace {

// One Gaussian, or an average, whose parts have weights of their own for each row.
LeaveOneOutScores latents_left_out(const ModelState& state,
                                   const std::vector<Row>& rows,
                                   std::optional<LeftOut>& average) {
  const auto n = static_cast<Index>(rows.size());
  LeaveOneOutScores out{.cdf_below = Vector(n), .cdf = Vector(n)};
  if (!state.is_average()) {
    LeaveOneOut cavities = leave_one_out(*state.task.parts.likelihood, rows, state.posterior);
    out.latent_mean = std::move(cavities.mean);
    out.latent_variance = std::move(cavities.variance);
    out.log_density = std::move(cavities.log_density);
    out.improper = std::move(cavities.improper);
    return out;
  }
  average = leave_out(state);
  out.log_density = average->log_density;
  out.improper = average->improper;
  out.latent_mean = out.latent_variance = Vector::Zero(n);
  for (Index k = 0; k < average->weight.rows(); ++k)
    out.latent_mean += average->weight.row(k).transpose().cwiseProduct(
        average->blend.parts[static_cast<std::size_t>(k)].mean);
  for (Index k = 0; k < average->weight.rows(); ++k) {
    const BlendPart& part = average->blend.parts[static_cast<std::size_t>(k)];
    out.latent_variance += average->weight.row(k).transpose().cwiseProduct(
        part.variance + (part.mean - out.latent_mean).cwiseAbs2());
  }
  return out;
}

std::unique_ptr<Predictive> predict_average_left_out(const ModelState& state,
                                                     Index i,
                                                     const LeftOut& average,
                                                     const LeaveOneOutScores& scores) {
  const Row row = state.task.data->observed.at(i);
  std::vector<WeightedPredictive> parts;
  for (Index k = 0; k < average.weight.rows(); ++k) {
    const BlendPart& part = average.blend.parts[static_cast<std::size_t>(k)];
    parts.push_back(
        {average.weight(k, i), part.likelihood->predictive(row, part.mean[i], part.variance[i])});
  }
  return check_left_out(state,
                        i,
                        scores.latent_mean[i],
                        scores.latent_variance[i],
                        make_mixture(std::move(parts), *state.task.parts.likelihood));
}

}  // namespace

LeaveOneOutScores GeneralizedGP::loo() const {
  const std::vector<Row> rows = state_->task.data->observed.rows();
  const auto n = static_cast<Index>(rows.size());
  std::optional<LeftOut> average;
  LeaveOneOutScores out = latents_left_out(*state_, rows, average);
  const RowShare share(n);
  const auto one = [&](Index i) {
    const Row& row = rows[static_cast<std::size_t>(i)];
    const auto p = average ? predict_average_left_out(*state_, i, *average, out)
                           : predict_left_out(*state_, i, out.latent_mean[i], out.latent_variance[i]);
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
