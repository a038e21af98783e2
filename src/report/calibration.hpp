// Pictures of how good the predictions are.
#pragma once

#include "report/page.hpp"
#include "report/scored_rows.hpp"

namespace ggpm::internal::report {

Chart observed_chart(const Subject& subject, const ScoredRows& scored);  // two classes: reliability
Chart pit_chart(const Subject& subject, const ScoredRows& scored);
Chart coverage_chart(const ScoredRows& scored);
Chart density_chart(const ScoredRows& scored);  // log density of every row

// Two classes: how well probabilities tell them apart.
struct Separation {
  bool both = false;                  // there are rows of both
  std::vector<double> alarms, found;  // shares of each for falling thresholds (ROC)
  double area = 0;                    // under that curve; 1/2 is guessing
  double brier = 0;                   // mean square of probability minus outcome
};
Separation separation(const ScoredRows& scored);
Chart roc_chart(const Separation& of);
// Rows by what they are and what they are taken for, classes counted from 0.
PageTable taken_for_table(std::string caption,
                          const std::vector<std::string>& names,
                          const Vector& observed,
                          const std::vector<Index>& taken);
PageTable confusion_table(const Subject& subject, const ScoredRows& scored, double threshold);

// Counts: rows with each value, or of `width` values together, observed and expected.
struct Rootogram {
  double width = 1;
  Index rows = 0;
  Vector observed, expected;
};
Rootogram rootogram(const ScoredRows& scored);
Chart rootogram_chart(const Subject& subject, const Rootogram& of);

// What is left of the outputs along an input.
struct Residuals {
  Chart chart;
  double trend = 0;  // largest average of a group, in half-widths of its 95 % interval
};
Residuals residuals_along(const Input& input, const ScoredRows& scored);

PageTable coverage_table(const ScoredRows& scored);
PageTable level_table(const Subject& subject, const ScoredRows& scored);  // ordered levels
PageTable worst_table(const Subject& subject, const ScoredRows& scored);

}  // namespace ggpm::internal::report
