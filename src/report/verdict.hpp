// What a person should know of a fit, in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/page.hpp"
#include "report/scored_rows.hpp"

namespace ggpm::internal::report {

struct Remark {
  Tone tone = Tone::note;
  std::string text;
};

// What was fitted on what; how good it is.
// "60", "60: 41 observed, 19 censored".
std::string rows_words(Index rows, Index censored);
std::string fitted_words(const Subject& subject);
std::string quality_words(const Subject& subject, const ScoredRows& scored);

// Convergence, bounds, extrapolation, calibration, a likelihood that does not suit.
std::vector<Remark> remarks(const Subject& subject,
                            const std::optional<ScoredRows>& scored,
                            const std::optional<Dataset>& data);

// Whether to trust it, from the remarks.
std::string trust_words(const std::vector<Remark>& remarks);

}  // namespace ggpm::internal::report
