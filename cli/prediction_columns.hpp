// The columns that ggpm predict writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ggpm/model.hpp"

namespace ggpm::cli {

// Which answers are wanted, beside those that are always there.
struct Answers {
  std::vector<double> quantiles = {0.025, 0.5, 0.975};
  std::vector<double> mean_quantiles;
  std::vector<double> survival;  // at these outputs
  std::optional<double> exceed;
  bool latent = false, terms = false;
};

// One column of the output. Values of y are shown as classes where the target has names for them.
struct OutputColumn {
  std::string name;
  Vector values;
  bool is_y = false;
};

// All columns for such answers, in their order.
std::vector<std::string> column_names(const Answers& answers,
                                      const SavedModel& saved,
                                      bool has_target);

// The columns of these names. `missing` counts the means and deviations that do not exist.
std::vector<OutputColumn> compute_columns(const std::vector<std::string>& names,
                                          const Answers& answers,
                                          const SavedModel& saved,
                                          const Dataset& rows,
                                          const Predictions& predictions,
                                          Index& missing);

}  // namespace ggpm::cli
