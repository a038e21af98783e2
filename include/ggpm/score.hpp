// How good predictions are: errors of point estimates, negative log density, coverage of
// intervals, probability integral transforms.
//
//   ScoreSum scores({.levels = {0.5, 0.95}});
//   scores.add(model.predictive({.X = Z}), y);      // any number of blocks of rows
//   scores.nlp().mean();  scores.errors(PointEstimate::mean).absolute.mean();  scores.pit().p_value;
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "ggpm/model.hpp"

namespace ggpm {

enum class PointEstimate { mean, median, mode, rounded_mean };  // rounded_mean: whole, at least 0
inline constexpr std::size_t kPointEstimates = 4;

// ---- Probability integral transforms: uniform in (0, 1) if the predictive distributions are right

struct PitSummary {
  Index count = 0;
  double mean = 0, variance = 0;      // uniform: 1/2, 1/12
  double distance = 0;                // largest of |empirical - uniform| (Kolmogorov-Smirnov)
  double p_value = 1;                 // of that distance
  std::array<Index, 10> histogram{};  // how many in [0, 0.1), [0.1, 0.2), ...
};
PitSummary summarize_pit(Vector pit);

// At random between P(Y < y) and P(Y <= y), which are equal where y is continuous.
Vector draw_pit(const Vector& cdf_below, const Vector& cdf, std::mt19937_64& random);

// ---- Scores

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
  double error() const;  // NaN for fewer than two rows

 private:
  double sum_ = 0, squares_ = 0;
  Index count_ = 0;
};

struct ScoreOptions {
  std::vector<double> levels = {0.5, 0.8, 0.95};  // of central intervals
  // Others have no errors: some cost much more than a density.
  std::vector<PointEstimate> points = {
      PointEstimate::mean, PointEstimate::median, PointEstimate::mode};
  bool pit = true;         // false: pit() is of no row
  bool lifetimes = true;   // false: c_index() is of no row
  std::uint64_t seed = 1;  // of the PIT of discrete outputs
};

// A survival time, or any output that may be censored, and what was predicted for it.
struct Lifetime {
  double lower, upper;  // between which it is known to be; equal where it was observed
  double predicted;

  static Lifetime of(const Row& row, double predicted);
};
// The share of concordant pairs among those whose order is known; O(n log n).
double concordance(std::vector<Lifetime> lifetimes);

// Scores of predictions of known outputs, summed over blocks of rows. Errors and coverage are of the
// rows that were observed; log densities and PIT of all.
class ScoreSum {
 public:
  struct Errors {
    Average absolute, squared;
  };
  struct Level {
    double level;
    Average covered, width;
  };

  explicit ScoreSum(ScoreOptions options = {});
  void add(const Predictions& predictions, const Vector& y);

  Index count() const { return nlp_.count(); }
  const Errors& errors(PointEstimate point) const {
    return errors_[static_cast<std::size_t>(point)];
  }
  const Average& nlp() const { return nlp_; }  // -log p(y)
  const std::vector<Level>& levels() const { return levels_; }
  PitSummary pit() const;
  // Of two rows of which it is known who lives longer: the share in which the larger median was
  // predicted for that one, ties counting half. NaN where there are no such rows, or outputs are not
  // survival times and none is censored.
  double c_index() const;
  Index censored() const { return censored_; }

 private:
  void add_lifetimes(const Predictions& predictions, const Vector& y);

  ScoreOptions options_;
  std::mt19937_64 random_;
  std::array<Errors, kPointEstimates> errors_;
  Average nlp_;
  std::vector<Level> levels_;
  std::vector<double> pit_;
  Index censored_ = 0;
  bool survival_ = false;
  std::vector<Lifetime> lifetimes_;
};

struct PointErrors {
  double mae = std::numeric_limits<double>::quiet_NaN();
  double mse = std::numeric_limits<double>::quiet_NaN();
};

// The scores that comparisons rest on.
struct Scores {
  double mae = 0, mse = 0;  // of the point estimate
  double nlp = 0;           // mean of -log p(y)
  double coverage = 0;      // share of y in the central `level` interval
  double width = 0;         // mean width of those intervals
  // By the number of a point estimate: the one asked for; the mode and the rounded mean together.
  std::array<PointErrors, kPointEstimates> of = {};
};
Scores score(const Predictions& predictions,
             const Vector& y,
             PointEstimate point = PointEstimate::mean,
             double level = 0.95);

}  // namespace ggpm
