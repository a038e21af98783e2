#include "study/score_sum.hpp"

#include <algorithm>

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

}  // namespace

ScoreSum::ScoreSum(const std::vector<double>& levels, std::vector<PointEstimate> points)
    : points_(std::move(points)) {
  for (const double level : levels) levels_.push_back({.level = level});
}

void ScoreSum::add(const Predictions& predictions, const Vector& y) {
  for (const PointEstimate point : points_) {
    Errors& errors = errors_[static_cast<std::size_t>(point)];
    for (const double error : Vector(estimates(predictions, point) - y)) {
      errors.absolute.add(std::abs(error));
      errors.squared.add(error * error);
    }
  }
  for (const double density : predictions.log_density(y)) nlp_.add(-density);
  for (Level& of : levels_) {
    const Vector lower = predictions.quantile((1 - of.level) / 2);
    const Vector upper = predictions.quantile((1 + of.level) / 2);
    for (Index i = 0; i < y.size(); ++i) {
      of.covered.add(y[i] >= lower[i] && y[i] <= upper[i] ? 1 : 0);
      of.width.add(upper[i] - lower[i]);
    }
  }
}

Scores score(const Predictions& predictions, const Vector& y, PointEstimate point, double level) {
  if (y.size() != predictions.size() || y.size() == 0)
    throw UsageError("score: needs as many outputs as predictions, at least one");
  ScoreSum sum({level}, with_relatives(point));
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
