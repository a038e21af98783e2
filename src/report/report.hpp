// The report of a fit: a page for a person who wants to look instead of read numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/judged.hpp"
#include "report/learning.hpp"
#include "report/page.hpp"

namespace ggpm::report {

struct ReportOptions {
  LearningOptions learning;
  std::uint64_t seed = 1;  // of the PIT of whole numbers
};

// `data`: rows to judge the model with, instead of its training rows left out in turn.
Page fit_report(const SavedModel& saved,
                const std::optional<Dataset>& data,
                const ReportOptions& options = {});

}  // namespace ggpm::report
