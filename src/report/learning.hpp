// The hyperparameters: what was found, how sharply, and how the optimizer got there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/page.hpp"
#include "report/subject.hpp"

namespace ggpm::internal::report {

struct LearningOptions {
  std::vector<std::string> parameters;  // two, of the contours; empty: the first two learned
  int grid = -1;                        // points to a side; 0: no contours; negative: by the rows
  int threads = 0;
};

// Points to a side of the contours that take some seconds; 0 where they would take longer.
int affordable_grid(const GeneralizedGP& model);

PageTable parameter_table(const GeneralizedGP& model);
PageTable optima_table(const GeneralizedGP& model);

// The best points of a climb from the values that the user gave, in learned coordinates. The model
// file does not keep the optimizer's path: it is climbed again, which costs as much as one start.
struct ClimbedPath {
  std::vector<Vector> points;
  std::vector<double> log_marginal;
};
ClimbedPath climb_again(const GeneralizedGP& model);

// UsageError for a parameter that does not exist or was held. Nothing where fewer than two were
// learned.
std::optional<Chart> marginal_chart(const GeneralizedGP& model,
                                    const LearningOptions& options,
                                    const std::optional<Hyperparameters>& errors,
                                    const ClimbedPath& path);
Chart climb_chart(const ClimbedPath& path);

}  // namespace ggpm::internal::report
