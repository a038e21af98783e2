// Rows whose outputs are known, and what the model said of them without looking: the training rows,
// each left out in turn, or rows of another table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ggpm/report.hpp"
#include "ggpm/score.hpp"
#include "report/subject.hpp"

namespace ggpm::internal::report {

struct ScoredRows {
  bool left_out = true;       // training rows, each predicted from the others
  std::string rows_words;     // "the 80 rows, each left out in turn", "the 40 rows of test.csv"
  Matrix X;                   // (m, d)
  std::vector<Row> known;     // (m) what is known of y: censored or not
  std::vector<Index> number;  // (m) of the row, from 1
  // (m), outputs and predictions as they are shown (Subject::shown).
  Vector y, mean, middle, lower, upper;  // median, central 95 % interval
  Vector per;                            // y in its own units is y times this
  Vector log_density, cdf_below, cdf, pit;
  PitSummary summary;
  std::vector<Index> improper;  // left out: rows for which that has no answer
  // The predictive distribution of row i, in units of y itself. It refers to the subject's model.
  std::function<std::unique_ptr<Predictive>(Index)> predictive = {};

  Index size() const { return y.size(); }
  Index censored() const;
  // Share of y inside the central interval; a censored one counts by its probability of being
  // there, given what is known of it.
  double coverage(double level) const;
  double error() const;        // mean |y - median| of the rows that were observed
  double plain_error() const;  // of always predicting the median; nothing may be censored
  double concordance() const;  // of the medians, where the order of two rows is known
  std::vector<Index> worst(std::size_t count) const;  // by log density
};

// NumericalError where leaving out has no answer.
ScoredRows score_left_out(const Subject& subject, std::uint64_t seed);
// Rows of the data that have a target; none: nothing.
std::optional<ScoredRows> score_new_rows(const Subject& subject,
                                         const Dataset& data,
                                         std::uint64_t seed);

}  // namespace ggpm::internal::report
