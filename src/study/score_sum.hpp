// Scores of predictions, summed over blocks of rows: what `score` of the library and the command
// of that name have in common.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ggpm/study.hpp"

namespace ggpm {

// A mean over rows, with its standard error.
class Average {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }
  Index count() const { return count_; }
  double mean() const { return sum_ / static_cast<double>(count_); }
  double error() const {
    const auto n = static_cast<double>(count_);
    if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(std::max(squares_ / n - mean() * mean(), 0.0) / (n - 1));
  }

 private:
  double sum_ = 0, squares_ = 0;
  Index count_ = 0;
};

class ScoreSum {
 public:
  struct Errors {
    Average absolute, squared;
  };
  struct Level {
    double level;  // of central intervals
    Average covered, width;
  };

  // Point estimates that are not asked for have no errors: some cost much more than a density.
  ScoreSum(const std::vector<double>& levels, std::vector<PointEstimate> points);
  void add(const Predictions& predictions, const Vector& y);

  Index count() const { return nlp_.count(); }
  const Errors& errors(PointEstimate point) const {
    return errors_[static_cast<std::size_t>(point)];
  }
  const Average& nlp() const { return nlp_; }
  const std::vector<Level>& levels() const { return levels_; }

 private:
  std::vector<PointEstimate> points_;
  std::array<Errors, kPointEstimates> errors_;
  Average nlp_;
  std::vector<Level> levels_;
};

}  // namespace ggpm
