// Prediction: the latent function, and the distribution of y that follows from it.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "learn/parallel.hpp"
#include "likelihood/softmax.hpp"
#include "model/checked_predictive.hpp"
#include "model/ensemble.hpp"
#include "numeric/random.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal {

std::pair<double, double> probability_bounds(const Predictive& predictive,
                                             Domain domain,
                                             const Row& row) {
  if (row.is_interval()) return {predictive.cdf(row.y), predictive.cdf(row.upper)};
  const double upto = predictive.cdf(row.y);
  if (row.censored != 0) return row.censored > 0 ? std::pair(upto, 1.0) : std::pair(0.0, upto);
  const double below = just_below(domain, row.y);
  return {below < row.y ? predictive.cdf(below) : upto, upto};
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

namespace {

constexpr Index kRowsPerBlock = 16;  // a row costs tens of microseconds and more

// body(i) for all rows, or for those of this rank; the share gathers what was written.
template <class Body>
RowShare for_each_row(Index count, int threads, const Body& body) {
  RowShare share(count);
  const Index first = share.begin();
  share.together([&] {
    for_blocks(share.end() - first, kRowsPerBlock, threads, [&](Index begin, Index end) {
      for (Index i = first + begin; i < first + end; ++i) body(i);
    });
  });
  return share;
}

template <class Question>
Vector ask_rows(const Predictions& predictions, int threads, const Question& question) {
  Vector out(predictions.size());
  for_each_row(predictions.size(), threads, [&](Index i) {
    out[i] = question(*predictions.row(i), i);
  }).gather(out);
  return out;
}

// A larger probability has no smaller quantile.
void require_order(const Place& place, const std::vector<double>& p, const Vector& quantiles) {
  for (std::size_t j = 0; j < p.size(); ++j)
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double lower = quantiles[static_cast<Index>(j)],
                   upper = quantiles[static_cast<Index>(k)];
      if (p[j] < p[k] && !(lower <= upper))
        throw NumericalError(place,
                             fmt::format("the {} quantile comes out as {}, above the {} quantile "
                                         "{}; look for extreme outputs or hyperparameters",
                                         p[j],
                                         lower,
                                         p[k],
                                         upper));
    }
}

// The latents of the training rows, at all hyperparameters.
Blend average_training(const ModelState& state) {
  Blend out;
  for (const Member& member : state.members)
    out.parts.push_back(
        {member.weight, nullptr, member.state->posterior.mean, member.state->posterior.variance});
  return out;
}

void require_rows(const char* what, const Vector& y, Index rows) {
  if (y.size() != rows)
    throw UsageError(fmt::format("{}: {} values of y for {} rows", what, y.size(), rows));
}

}  // namespace

Vector GeneralizedGP::latent_mean() const {
  Vector mean = posterior().mean;
  if (state_->sampled) mean = state_->sampled->draws.rowwise().mean();
  if (!state_->members.empty()) mean = average_training(*state_).mean();
  const Vector& offset = state_->task.data->observed.offset;
  return offset.size() > 0 && !has_several_latents(likelihood()) ? Vector(mean - offset) : mean;
}

Vector GeneralizedGP::latent_variance() const {
  if (state_->sampled) {
    const Matrix& draws = state_->sampled->draws;
    return (draws.colwise() - draws.rowwise().mean()).cwiseAbs2().rowwise().mean();
  }
  return state_->members.empty() ? posterior().variance : average_training(*state_).variance();
}

void GeneralizedGP::latent(const Dataset& rows, Vector& mean, Vector& variance) const {
  const PreparedRows prepared = prepare_rows(rows, *state_);  // checks, before a factor
  if (const auto blend = blend_of(*state_, rows, prepared)) {
    mean = blend->mean();
    variance = blend->variance();
    return;
  }
  state_->predictor().predict(rows.X, prepared.prior_mean, mean, variance);
}

Matrix GeneralizedGP::latent_covariance(const Dataset& rows) const {
  const PreparedRows prepared = prepare_rows(rows, *state_);
  if (state_->is_average()) return JointLatent(*state_, rows, prepared).covariance();
  return state_->predictor().covariance(rows.X);
}

Predictions GeneralizedGP::predictive(const Dataset& rows, int threads) const {
  PreparedRows prepared = prepare_rows(rows, *state_);
  Predictions out;
  out.blend_ = blend_of(*state_, rows, prepared);
  out.observed_ = std::move(prepared.observed);
  out.shift_ = std::move(prepared.shift);
  out.source_ = rows.source;
  out.row_numbers_ = rows.row_numbers;
  out.state_ = state_;
  out.threads_ = threads;
  if (has_several_latents(likelihood())) {
    out.latent_mean_ = Vector::Constant(rows.X.rows(), std::numeric_limits<double>::quiet_NaN());
    out.latent_variance_ = out.latent_mean_;
    out.predict_classes(rows.X);
    return out;
  }
  if (out.blend_) {
    out.latent_mean_ = out.blend_->mean();
    out.latent_variance_ = out.blend_->variance();
  } else {
    state_->predictor().predict(
        rows.X, prepared.prior_mean, out.latent_mean_, out.latent_variance_);
  }
  for (Index i = 0; i < out.size(); ++i)
    if (!std::isfinite(out.eta_mean(i)) || !(out.latent_variance_[i] >= 0) ||
        std::isinf(out.latent_variance_[i]))
      throw NumericalError(
          out.place(i),
          fmt::format("the latent function comes out as {} with variance {}; look for extreme "
                      "inputs, offsets or hyperparameters",
                      out.eta_mean(i),
                      out.latent_variance_[i]));
  return out;
}

void Predictions::predict_classes(const Matrix& X) {
  Matrix covariance;  // (rows, C^2)
  state_->class_predictor().predict(X, class_mean_, covariance);
  if (!class_mean_.allFinite() || !covariance.allFinite())
    throw NumericalError(
        "predict: a latent function is not finite; look for extreme inputs or hyperparameters");
  const Index C = class_mean_.cols();
  class_variance_ = covariance(Eigen::all, Eigen::seqN(0, C, C + 1));
  class_probability_.resize(class_mean_.rows(), C);
  for_blocks(size(), kRowsPerBlock, threads_, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      class_probability_.row(i) =
          softmax_probabilities(class_mean_.row(i), covariance.row(i).reshaped(C, C)).transpose();
  });
}

Matrix Predictions::level_probabilities() const {
  if (class_probability_.cols() > 0) return class_probability_;
  const Index levels = state_->task.parts.likelihood->levels();
  Matrix out(size(), levels);
  for_blocks(size(), kRowsPerBlock, threads_, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const std::unique_ptr<Predictive> p = row(i);
      for (Index k = 0; k < levels; ++k)
        out(i, k) = std::exp(p->log_density(static_cast<double>(k + 1)));
    }
  });
  return out;
}

Place Predictions::place(Index i) const {
  return {.source = source_, .row = row_number(row_numbers_, i)};
}

std::unique_ptr<Predictive> Predictions::row(Index i) const {
  const Likelihood& likelihood = *state_->task.parts.likelihood;
  const Row row = observed_.at(i);
  if (class_probability_.cols() > 0) return level_predictive(class_probability_.row(i));
  PredictiveFacts facts = predictive_facts(likelihood, row, eta_mean(i), latent_variance_[i]);
  facts.source = source_;
  facts.row = row_number(row_numbers_, i);
  if (!blend_)
    return make_checked_predictive(likelihood.predictive(row, eta_mean(i), latent_variance_[i]),
                                   facts);
  std::vector<WeightedPredictive> parts;
  for (const BlendPart& part : blend_->parts)
    parts.push_back({part.weight,
                     part.likelihood->predictive(row, part.mean[i] + shift_[i], part.variance[i])});
  return make_checked_predictive(make_mixture(std::move(parts), likelihood), facts);
}

Domain Predictions::domain() const { return GeneralizedGP(state_).domain(); }

Vector Predictions::mean() const {
  return ask_rows(*this, threads_, [](const Predictive& p, Index) { return p.mean(); });
}
Vector Predictions::variance() const {
  return ask_rows(*this, threads_, [](const Predictive& p, Index) { return p.variance(); });
}
Vector Predictions::mode() const {
  return ask_rows(*this, threads_, [](const Predictive& p, Index) { return p.mode(); });
}
Vector Predictions::quantile(double probability) const { return quantiles({probability}); }

Matrix Predictions::quantiles(const std::vector<double>& probabilities) const {
  for (const double p : probabilities)
    if (!(p >= 0 && p <= 1)) throw UsageError(fmt::format("quantile: {} is not a probability", p));
  Matrix out(size(), static_cast<Index>(probabilities.size()));
  const RowShare share = for_each_row(size(), threads_, [&](Index i) {
    const std::unique_ptr<Predictive> p = row(i);
    for (std::size_t k = 0; k < probabilities.size(); ++k)
      out(i, static_cast<Index>(k)) = p->quantile(probabilities[k]);
    require_order(place(i), probabilities, out.row(i));
  });
  share.gather(out);
  return out;
}

BlendedMean Predictions::mean_of(Index i) const {
  const Row row = observed_.at(i);
  BlendedMean out;
  if (!blend_)
    out.add(1, {*state_->task.parts.likelihood, i, row, eta_mean(i), latent_variance_[i]});
  else
    for (const BlendPart& part : blend_->parts)
      out.add(part.weight, {*part.likelihood, i, row, part.mean[i] + shift_[i], part.variance[i]});
  return out;
}

Matrix Predictions::mean_quantiles(const std::vector<double>& probabilities) const {
  require_one_latent(*state_->task.parts.likelihood, "a quantile of the mean");
  for (const double p : probabilities)
    if (!(p > 0 && p < 1))
      throw UsageError(fmt::format("mean_quantiles: {} is not above 0 and below 1", p));
  Matrix out(size(), static_cast<Index>(probabilities.size()));
  const RowShare share = for_each_row(size(), threads_, [&](Index i) {
    const BlendedMean mean = mean_of(i);
    for (std::size_t k = 0; k < probabilities.size(); ++k)
      out(i, static_cast<Index>(k)) = mean.quantile(probabilities[k]);
  });
  share.gather(out);
  return out;
}

Vector Predictions::mean_above(double threshold) const {
  require_one_latent(*state_->task.parts.likelihood, "a probability of the mean");
  Vector out(size());
  const RowShare share =
      for_each_row(size(), threads_, [&](Index i) { out[i] = mean_of(i).above(threshold); });
  share.gather(out);
  return out;
}

Vector Predictions::cdf(const Vector& y) const {
  require_rows("cdf", y, size());
  return ask_rows(*this, threads_, [&](const Predictive& p, Index i) { return p.cdf(y[i]); });
}

std::pair<Vector, Vector> Predictions::probability_bounds(const Vector& y) const {
  require_rows("probability_bounds", y, size());
  std::pair<Vector, Vector> out(size(), size());
  const RowShare share = for_each_row(size(), threads_, [&](Index i) {
    Row of = observed_.at(i);
    of.y = y[i];
    std::tie(out.first[i], out.second[i]) = internal::probability_bounds(*row(i), domain(), of);
  });
  share.gather(out.first);
  share.gather(out.second);
  return out;
}

bool Predictions::are_survival_times() const {
  return domain() == Domain::positive && state_->task.parts.likelihood->takes_censored();
}

Vector Predictions::log_density(const Vector& y) const {
  require_rows("log_density", y, size());
  std::vector<Row> rows;
  for (Index i = 0; i < size(); ++i) (rows.emplace_back(observed_.at(i))).y = y[i];
  state_->task.parts.likelihood->check(rows);
  return ask_rows(
      *this, threads_, [&](const Predictive& p, Index i) { return p.log_density(y[i]); });
}

// Every row has a generator of its own, so that neither threads nor other rows change it.
Matrix Predictions::sample(Index count, std::uint64_t seed) const {
  if (count < 0) throw UsageError("sample: the number of samples is negative");
  Matrix out(size(), count);
  const RowShare share = for_each_row(size(), threads_, [&](Index i) {
    std::mt19937_64 random = numeric::random_stream(seed, static_cast<std::uint64_t>(i));
    const std::unique_ptr<Predictive> p = row(i);
    for (Index k = 0; k < count; ++k) out(i, k) = p->sample(random);
  });
  share.gather(out);
  return out;
}

}  // namespace ggpm
