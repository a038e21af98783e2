// A fitted model for a person: what `fit` and `show` print.
#pragma once

#include <string>

#include "cli/model_json.hpp"
#include "ggpm/model.hpp"

namespace ggpm::cli {

std::string model_text(const SavedModel& saved, const std::optional<LeaveOneOutScores>& loo);
std::string provenance_text(const SavedModel& saved);  // scaling of the inputs, where it came from
std::string pit_text(const PitSummary& pit);

}  // namespace ggpm::cli
