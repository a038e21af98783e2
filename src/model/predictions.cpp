// Prediction: the latent function, and the distribution of y that follows from it.
#include <fmt/format.h>

#include <cmath>

#include "learn/parallel.hpp"
#include "model/checked_predictive.hpp"
#include "model/state.hpp"
#include "model/warped_predictive.hpp"
#include "numeric/random.hpp"

namespace ggpm {
namespace {

constexpr Index kRowsPerBlock = 16;  // a row costs tens of microseconds and more

void check_new_rows(const NewRows& rows, const detail::ModelState& state) {
  const Index m = rows.X.rows(), d = state.task.data->X.cols();
  if (rows.X.cols() != d)
    throw DataError(fmt::format("predict: the model has {} inputs, not {}", d, rows.X.cols()));
  for (const auto& [name, values] : {std::pair<const char*, const Vector&>{"offset", rows.offset},
                                     {"exposure", rows.exposure},
                                     {"trials", rows.trials}})
    if (values.size() != 0 && values.size() != m)
      throw DataError(
          fmt::format("predict: {} has {} numbers for {} rows", name, values.size(), m));
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < d; ++j)
      if (!std::isfinite(rows.X(i, j)))
        throw DataError(fmt::format("row {}, input '{}': {} is not a finite number",
                                    i + 1,
                                    input_name(state.columns, j),
                                    rows.X(i, j)));
    if (rows.offset.size() != 0 && !std::isfinite(rows.offset[i]))
      throw DataError(
          fmt::format("row {}: offset = {} is not a finite number", i + 1, rows.offset[i]));
    if (rows.trials.size() != 0 && !(rows.trials[i] >= 1 && std::isfinite(rows.trials[i]) &&
                                     rows.trials[i] == std::floor(rows.trials[i])))
      throw DataError(
          fmt::format("row {}: trials = {}; trials are whole numbers >= 1", i + 1, rows.trials[i]));
  }
}

// Rows as the likelihood sees them; their share of the prior mean goes to `offset`.
std::vector<Row> predictive_rows(const NewRows& rows,
                                 const detail::ModelState& state,
                                 Vector& offset) {
  const Index m = rows.X.rows();
  std::vector<Row> out(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) {
    Row& row = out[static_cast<std::size_t>(i)];
    if (rows.trials.size() != 0) row.trials = rows.trials[i];
    if (rows.exposure.size() != 0) row.exposure = rows.exposure[i];
  }
  Observed observed = observe(Matrix(m, 0), std::move(out), rows.offset, state.task.parts);
  offset = observed.offset.size() != 0 ? observed.offset : Vector::Zero(m);
  return std::move(observed.rows);
}

Vector prior_mean(const Matrix& X, const detail::ModelState& state) {
  return state.task.parts.mean.evaluate(X);
}

template <class Question>
Vector ask_rows(const Predictions& predictions, int threads, const Question& question) {
  Vector out(predictions.size());
  for_blocks(predictions.size(), kRowsPerBlock, threads, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = question(*predictions.row(i), i);
  });
  return out;
}

// A larger probability has no smaller quantile.
void require_order(Index row, const std::vector<double>& p, const Vector& quantiles) {
  for (std::size_t j = 0; j < p.size(); ++j)
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double lower = quantiles[static_cast<Index>(j)],
                   upper = quantiles[static_cast<Index>(k)];
      if (p[j] < p[k] && !(lower <= upper))
        throw NumericalError(
            fmt::format("row {}: the {} quantile comes out as {}, above the {} "
                        "quantile {}; look for extreme outputs or hyperparameters",
                        row + 1,
                        p[j],
                        lower,
                        p[k],
                        upper));
    }
}

void require_rows(const char* what, const Vector& y, Index rows) {
  if (y.size() != rows)
    throw UsageError(fmt::format("{}: {} values of y for {} rows", what, y.size(), rows));
}

}  // namespace

void GeneralizedGP::latent(const NewRows& rows, Vector& mean, Vector& variance) const {
  check_new_rows(rows, *state_);
  Vector offset;
  predictive_rows(rows, *state_, offset);
  state_->predictor().predict(rows.X, prior_mean(rows.X, *state_) + offset, mean, variance);
}

Matrix GeneralizedGP::latent_covariance(const Matrix& X) const {
  check_new_rows({.X = X}, *state_);
  return state_->predictor().covariance(X);
}

Predictions GeneralizedGP::predictive(const NewRows& rows, int threads) const {
  check_new_rows(rows, *state_);
  Predictions out;
  Vector offset;
  out.rows_ = predictive_rows(rows, *state_, offset);
  state_->predictor().predict(
      rows.X, prior_mean(rows.X, *state_) + offset, out.latent_mean_, out.latent_variance_);
  for (Index i = 0; i < out.size(); ++i)
    if (!std::isfinite(out.latent_mean_[i]) || !(out.latent_variance_[i] >= 0) ||
        std::isinf(out.latent_variance_[i]))
      throw NumericalError(fmt::format(
          "row {}: the latent function comes out as {} with variance {}; look for extreme inputs, "
          "offsets or hyperparameters",
          i + 1,
          out.latent_mean_[i],
          out.latent_variance_[i]));
  out.state_ = state_;
  out.threads_ = threads;
  return out;
}

std::unique_ptr<Predictive> make_row_predictive(
    const ModelParts& parts, std::string where, const Row& row, double mean, double variance) {
  const Likelihood& likelihood = *parts.likelihood;
  PredictiveFacts facts = predictive_facts(std::move(where), likelihood, row, mean, variance);
  if (parts.warp.none())
    return make_checked_predictive(likelihood.predictive(row, mean, variance), std::move(facts));
  if (parts.warp.domain() != Domain::real) facts.low = 0;
  if (parts.warp.domain() == Domain::proportion) facts.high = 1;
  return make_checked_predictive(
      make_warped_predictive(parts.warp, mean, variance + likelihood.variance({}, mean)),
      std::move(facts));
}

std::unique_ptr<Predictive> Predictions::row(Index i) const {
  return make_row_predictive(state_->task.parts,
                             fmt::format("row {}", i + 1),
                             rows_[static_cast<std::size_t>(i)],
                             latent_mean_[i],
                             latent_variance_[i]);
}

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
  for_blocks(size(), kRowsPerBlock, threads_, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const std::unique_ptr<Predictive> p = row(i);
      for (std::size_t k = 0; k < probabilities.size(); ++k)
        out(i, static_cast<Index>(k)) = p->quantile(probabilities[k]);
      require_order(i, probabilities, out.row(i));
    }
  });
  return out;
}

Vector Predictions::cdf(const Vector& y) const {
  require_rows("cdf", y, size());
  return ask_rows(*this, threads_, [&](const Predictive& p, Index i) { return p.cdf(y[i]); });
}

Vector Predictions::log_density(const Vector& y) const {
  require_rows("log_density", y, size());
  const ModelParts& parts = state_->task.parts;
  std::vector<Row> rows = rows_;
  for (Index i = 0; i < size(); ++i) rows[static_cast<std::size_t>(i)].y = y[i];
  if (parts.warp.none())
    parts.likelihood->check(rows);
  else
    parts.warp.check(rows);
  return ask_rows(
      *this, threads_, [&](const Predictive& p, Index i) { return p.log_density(y[i]); });
}

// Every row has a generator of its own, so that neither threads nor other rows change it.
Matrix Predictions::sample(Index count, std::uint64_t seed) const {
  if (count < 0) throw UsageError("sample: the number of samples is negative");
  Matrix out(size(), count);
  for_blocks(size(), kRowsPerBlock, threads_, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      std::mt19937_64 random = numeric::random_stream(seed, static_cast<std::uint64_t>(i));
      const std::unique_ptr<Predictive> p = row(i);
      for (Index k = 0; k < count; ++k) out(i, k) = p->sample(random);
    }
  });
  return out;
}

}  // namespace ggpm
