// Probability integral transforms: uniform between 0 and 1 if the predictive distributions are
// right.
#pragma once

#include <array>

#include "ggpm/likelihood.hpp"
#include "ggpm/types.hpp"

namespace ggpm::report {

struct PitSummary {
  Index count = 0;
  double mean = 0, variance = 0;      // uniform: 1/2, 1/12
  double distance = 0;                // largest of |empirical - uniform| (Kolmogorov-Smirnov)
  double p_value = 1;                 // of that distance
  std::array<Index, 10> histogram{};  // how many in [0, 0.1), [0.1, 0.2), ...
};

PitSummary summarize_pit(Vector pit);

}  // namespace ggpm::report
