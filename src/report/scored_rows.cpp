#include "report/scored_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/parallel.hpp"
#include "model/state.hpp"
#include "report/html.hpp"

namespace ggpm::internal::report {
namespace {

void resize(ScoredRows& scored, Index m) {
  for (Vector* v : {&scored.y,
                    &scored.per,
                    &scored.mean,
                    &scored.middle,
                    &scored.lower,
                    &scored.upper,
                    &scored.log_density,
                    &scored.cdf_below,
                    &scored.cdf})
    v->resize(m);
}

void set_prediction(ScoredRows& scored, Index i, const Predictive& p, const Subject& subject) {
  const Row& row = scored.known[static_cast<std::size_t>(i)];
  const auto shown = [&](double y) { return subject.shown(y, row); };
  const double mean = p.mean();
  scored.y[i] = shown(row.y);
  scored.per[i] = subject.per(row);
  scored.middle[i] = shown(p.quantile(0.5));
  scored.mean[i] = std::isnan(mean) ? scored.middle[i] : shown(mean);
  scored.lower[i] = shown(p.quantile(0.025));
  scored.upper[i] = shown(p.quantile(0.975));
}

double length(double low, double high) { return std::max(0.0, high - low); }

double median(const Vector& v) {
  std::vector<double> sorted(v.begin(), v.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

}  // namespace

Index ScoredRows::censored() const {
  return std::count_if(
      known.begin(), known.end(), [](const Row& row) { return row.is_censored(); });
}

double ScoredRows::coverage(double level) const {
  const double low = (1 - level) / 2, high = (1 + level) / 2;
  double inside = 0;
  for (Index i = 0; i < size(); ++i) {
    const double all = length(cdf_below[i], cdf[i]);
    if (known[static_cast<std::size_t>(i)].is_censored() && all > 0)
      inside += length(std::max(cdf_below[i], low), std::min(cdf[i], high)) / all;
    else
      inside += cdf[i] >= low && cdf_below[i] <= high ? 1 : 0;
  }
  return inside / static_cast<double>(size());
}

double ScoredRows::error() const {
  double sum = 0;
  for (Index i = 0; i < size(); ++i)
    if (!known[static_cast<std::size_t>(i)].is_censored()) sum += std::abs(y[i] - middle[i]);
  return sum / static_cast<double>(size() - censored());
}
double ScoredRows::plain_error() const { return (y.array() - median(y)).abs().mean(); }

double ScoredRows::concordance() const {
  std::vector<Lifetime> out;
  for (Index i = 0; i < size(); ++i)
    out.push_back(Lifetime::of(known[static_cast<std::size_t>(i)], middle[i] * per[i]));
  return ggpm::concordance(std::move(out));
}

std::vector<Index> ScoredRows::worst(std::size_t count) const {
  std::vector<Index> rows(static_cast<std::size_t>(size()));
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(
      rows.begin(), rows.end(), [&](Index a, Index b) { return log_density[a] < log_density[b]; });
  rows.resize(std::min(count, rows.size()));
  return rows;
}

ScoredRows score_left_out(const Subject& subject, std::uint64_t seed) {
  const GeneralizedGP& model = subject.model();
  const LeaveOneOutScores loo = model.loo();
  const Observations& given = model.observations();
  ScoredRows out;
  out.rows_words =
      fmt::format("the {} training rows, each predicted from the others", model.rows());
  out.X = model.inputs();
  out.known = given.rows();
  resize(out, model.rows());
  out.predictive = [&state = model.state(), mean = loo.latent_mean, variance = loo.latent_variance](
                       Index i) {
    const Vector& offset = state.task.data->observed.offset;
    return predict_left_out(state, i, mean[i] + (offset.size() > 0 ? offset[i] : 0), variance[i]);
  };
  for_blocks(model.rows(), 16, 0, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) set_prediction(out, i, *out.predictive(i), subject);
  });
  for (Index i = 0; i < model.rows(); ++i)
    out.number.push_back(row_number(model.state().task.data->row_numbers, i));
  out.log_density = loo.log_density;
  out.cdf_below = loo.cdf_below;
  out.cdf = loo.cdf;
  out.pit = loo.pit(seed);
  out.summary = summarize_pit(out.pit);
  out.improper = loo.improper;
  return out;
}

std::optional<ScoredRows> score_new_rows(const Subject& subject,
                                         const Dataset& data,
                                         std::uint64_t seed) {
  std::vector<Index> known;
  for (Index i = 0; i < data.observed.y.size(); ++i)
    if (!std::isnan(data.observed.y[i])) known.push_back(i);
  if (known.empty()) return std::nullopt;
  const Dataset rows = data.subset(known);
  const Predictions predictions = subject.model().predictive(rows);
  const Vector& y = rows.observed.y;
  ScoredRows out;
  out.left_out = false;
  out.rows_words = fmt::format("the {} rows of {}", known.size(), shorten(data.source, 60));
  out.X = rows.X;
  out.known = rows.observed.rows();
  resize(out, predictions.size());
  out.predictive = [predictions](Index i) { return predictions.row(i); };
  for_blocks(predictions.size(), 16, 0, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) set_prediction(out, i, *predictions.row(i), subject);
  });
  out.number = rows.row_numbers;
  out.log_density = predictions.log_density(y);
  std::tie(out.cdf_below, out.cdf) = predictions.probability_bounds(y);
  const LeaveOneOutScores between{.cdf_below = out.cdf_below, .cdf = out.cdf};
  out.pit = between.pit(seed);
  out.summary = summarize_pit(out.pit);
  return out;
}

}  // namespace ggpm::internal::report
