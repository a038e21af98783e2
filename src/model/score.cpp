#include "ggpm/score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "numeric/constants.hpp"

namespace ggpm {
namespace {

Vector estimates(const Predictions& predictions, PointEstimate point) {
  switch (point) {
    case PointEstimate::median:
      return predictions.quantile(0.5);
    case PointEstimate::mode:
      return predictions.mode();
    case PointEstimate::rounded_mean:
      return predictions.mean().unaryExpr([](double m) { return std::max(0.0, std::round(m)); });
    case PointEstimate::mean:
      break;
  }
  return predictions.mean();
}

// Counts are predicted by either: both are of interest.
std::vector<PointEstimate> with_relatives(PointEstimate point) {
  if (point == PointEstimate::mode || point == PointEstimate::rounded_mean)
    return {PointEstimate::mode, PointEstimate::rounded_mean};
  return {point};
}

// Classes have no order: in place of an interval the fewest of them that have the probability.
void add_sets(const Matrix& probabilities, const Vector& y, ScoreSum::Level& of) {
  for (Index i = 0; i < y.size(); ++i) {
    const Vector p = probabilities.row(i);
    const auto own = static_cast<Index>(y[i]) - 1;
    Vector sorted = p;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    Index size = 1;
    while (size < p.size() && sorted.head(size).sum() < of.level) ++size;
    of.covered.add(p[own] >= sorted[size - 1] ? 1 : 0);
    of.width.add(static_cast<double>(size));
  }
}

}  // namespace

double Average::error() const {
  const auto n = static_cast<double>(count_);
  if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(std::max(squares_ / n - mean() * mean(), 0.0) / (n - 1));
}

ScoreSum::ScoreSum(ScoreOptions options) : options_(std::move(options)), random_(options_.seed) {
  for (const double level : options_.levels) {
    if (!(level > 0 && level < 1))
      throw UsageError("score: the level of an interval is above 0 and below 1");
    levels_.push_back({.level = level});
  }
}

void ScoreSum::add(const Predictions& predictions, const Vector& y) {
  const Observations& known = predictions.observed();
  std::vector<Index> observed;
  for (Index i = 0; i < y.size(); ++i)
    if (!known.at(i).is_censored()) observed.push_back(i);
  censored_ += y.size() - std::ssize(observed);
  const bool classes = predictions.class_means().cols() > 0;
  const Vector missed =
      classes ? Vector((predictions.mode().array() != y.array()).cast<double>()) : Vector();
  for (const PointEstimate point : options_.points) {
    Errors& errors = errors_[static_cast<std::size_t>(point)];
    const Vector error = classes ? missed : Vector(estimates(predictions, point) - y);
    for (const Index i : observed) {
      errors.absolute.add(std::abs(error[i]));
      errors.squared.add(error[i] * error[i]);
    }
  }
  for (const double density : predictions.log_density(y)) nlp_.add(-density);
  const Matrix probabilities = classes ? predictions.level_probabilities() : Matrix();
  for (Level& of : levels_) {
    if (classes) {
      add_sets(probabilities, y, of);
      continue;
    }
    const Vector lower = predictions.quantile((1 - of.level) / 2);
    const Vector upper = predictions.quantile((1 + of.level) / 2);
    for (const Index i : observed) {
      of.covered.add(y[i] >= lower[i] && y[i] <= upper[i] ? 1 : 0);
      of.width.add(upper[i] - lower[i]);
    }
  }
  add_lifetimes(predictions, y);
  if (!options_.pit) return;
  const auto [below, cdf] = predictions.probability_bounds(y);
  const Vector pit = draw_pit(below, cdf, random_);
  pit_.insert(pit_.end(), pit.begin(), pit.end());
}

void ScoreSum::add_lifetimes(const Predictions& predictions, const Vector& y) {
  survival_ =
      survival_ || predictions.are_survival_times() || predictions.observed().any_censored();
  if (!survival_ || !options_.lifetimes) return;
  const Vector median = predictions.quantile(0.5);
  for (Index i = 0; i < y.size(); ++i) {
    Row row = predictions.observed().at(i);
    row.y = y[i];
    lifetimes_.push_back(Lifetime::of(row, median[i]));
  }
}

double ScoreSum::c_index() const {
  return survival_ ? concordance(lifetimes_) : std::numeric_limits<double>::quiet_NaN();
}

PitSummary ScoreSum::pit() const {
  return summarize_pit(Eigen::Map<const Vector>(pit_.data(), static_cast<Index>(pit_.size())));
}

Scores score(const Predictions& predictions, const Vector& y, PointEstimate point, double level) {
  if (y.size() != predictions.size() || y.size() == 0)
    throw UsageError("score: needs as many outputs as predictions, at least one");
  ScoreSum sum(
      {.levels = {level}, .points = with_relatives(point), .pit = false, .lifetimes = false});
  sum.add(predictions, y);
  Scores out{.nlp = sum.nlp().mean(),
             .coverage = sum.levels()[0].covered.mean(),
             .width = sum.levels()[0].width.mean()};
  for (std::size_t i = 0; i < kPointEstimates; ++i) {
    const ScoreSum::Errors& errors = sum.errors(static_cast<PointEstimate>(i));
    out.of[i] = {errors.absolute.mean(), errors.squared.mean()};
  }
  out.mae = out.of[static_cast<std::size_t>(point)].mae;
  out.mse = out.of[static_cast<std::size_t>(point)].mse;
  return out;
}

}  // namespace ggpm
