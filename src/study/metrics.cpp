#include <algorithm>
#include <cmath>

#include "ggpm/study.hpp"

namespace ggpm {
namespace {

Vector point_estimates(const Predictions& predictions, PointEstimate point) {
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

}  // namespace

Scores score(const Predictions& predictions, const Vector& y, PointEstimate point, double level) {
  if (y.size() != predictions.size() || y.size() == 0)
    throw UsageError("score: needs as many outputs as predictions, at least one");
  const Vector error = point_estimates(predictions, point) - y;
  const Vector lower = predictions.quantile((1 - level) / 2);
  const Vector upper = predictions.quantile((1 + level) / 2);
  Scores out;
  out.mae = error.cwiseAbs().mean();
  out.mse = error.squaredNorm() / static_cast<double>(y.size());
  out.nlp = -predictions.log_density(y).mean();
  out.coverage = (y.array() >= lower.array() && y.array() <= upper.array()).cast<double>().mean();
  out.width = (upper - lower).mean();
  return out;
}

}  // namespace ggpm
