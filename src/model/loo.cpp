// Leave-one-out scores from the cavities of the sites.
#include <cmath>
#include <limits>
#include <tuple>

#include "ggpm/score.hpp"
#include "learn/parallel.hpp"
#include "likelihood/softmax.hpp"
#include "model/checked_predictive.hpp"
#include "model/class_loo.hpp"
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

Matrix left_out_probabilities(const GeneralizedGP& model) {
  const Posterior& q = model.posterior();
  const Index n = model.rows(), C = q.mean.size() / n;
  Matrix out(n, C);
  for_blocks(n, 16, 0, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Vector mean(C);
      Matrix covariance(C, C);
      for (Index a = 0; a < C; ++a) {
        mean[a] = q.cavity_mean[a * n + i];
        for (Index b = 0; b < C; ++b) covariance(a, b) = q.cavity_variance[(a * C + b) * n + i];
      }
      out.row(i) = softmax_probabilities(mean, covariance).transpose();
    }
  });
  return out;
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

namespace {

// Of several classes: the cavity of a row is that of all its latents.
LeaveOneOutScores loo_of_classes(const GeneralizedGP& model) {
  const std::vector<Row> rows = model.state().task.data->observed.rows();
  const auto n = static_cast<Index>(rows.size());
  const Vector unknown = Vector::Constant(n, std::numeric_limits<double>::quiet_NaN());
  LeaveOneOutScores out{unknown, unknown, Vector(n), Vector(n), Vector(n), {}};
  const Matrix probabilities = left_out_probabilities(model);
  for (Index i = 0; i < n; ++i) {
    const auto p = level_predictive(probabilities.row(i));
    const Row& row = rows[static_cast<std::size_t>(i)];
    out.log_density[i] = p->log_density(row.y);
    std::tie(out.cdf_below[i], out.cdf[i]) = probability_bounds(*p, Domain::ordinal, row);
  }
  return out;
}

void add_total(LeaveOneOutScores& scores) {
  const DensityDifference whole =
      difference_of(scores.log_density, Vector::Zero(scores.log_density.size()));
  scores.total = whole.total;
  scores.standard_error = whole.standard_error;
}

// One Gaussian, or an average, whose parts have weights of their own for each row.
LeaveOneOutScores latents_left_out(const ModelState& state, std::optional<LeftOut>& average) {
  const Observations& observed = state.task.data->observed;
  const Index n = observed.size();
  LeaveOneOutScores out{.cdf_below = Vector(n), .cdf = Vector(n)};
  if (!state.is_average()) {
    LeaveOneOut cavities = leave_one_out(*state.task.parts.likelihood, observed, state.posterior);
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
  if (has_several_latents(likelihood())) {
    LeaveOneOutScores out = loo_of_classes(*this);
    add_total(out);
    return out;
  }
  const Observations& observed = state_->task.data->observed;
  std::optional<LeftOut> average;
  LeaveOneOutScores out = latents_left_out(*state_, average);
  const RowShare share(observed.size());
  const auto one = [&](Index i) {
    const Row row = observed.at(i);
    const auto p = average
                       ? predict_average_left_out(*state_, i, *average, out)
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
  if (observed.offset.size() > 0) out.latent_mean -= observed.offset;
  add_total(out);
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
