// Dates as tables write them.
#pragma once

#include <optional>
#include <string_view>

#include "ggpm/data.hpp"

namespace ggpm::internal::data {

// Days since 1970-01-01 of "2024-02-29", "2024/02/29", "2024-02-29 13:45" or "2024-02-29T13:45:00Z":
// the year comes first, so that day and month cannot be mistaken. Nothing else is a date.
std::optional<double> parse_date(std::string_view cell);

// A text column with cells that are all dates or missing.
bool holds_dates(const Column& column);

}  // namespace ggpm::internal::data
