// A fitted model for a person: what `ggpm fit` and `ggpm show` print, and summary() in Python.
#pragma once

#include <optional>
#include <string>

#include "ggpm/model.hpp"
#include "ggpm/score.hpp"

namespace ggpm {

std::string summary_text(const SavedModel& saved, const std::optional<LeaveOneOutScores>& loo);
std::string provenance_text(const SavedModel& saved);  // scaling of the inputs, where it came from
std::string pit_text(const PitSummary& pit);
std::string duration_text(double seconds);  // "4.2 s", "3 min 20 s", "2 h 5 min"

}  // namespace ggpm
