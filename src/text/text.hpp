// Cells as text: numbers in and out, what a message shows, nearest names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ggpm::data {

// NA, NaN in any case, and nothing at all.
bool is_missing(std::string_view cell);

// A decimal number, the whole cell, independent of the locale. Too large is infinite, too small is
// zero. No hexadecimal numbers, no decimal comma, no other digits than 0-9.
std::optional<double> parse_number(std::string_view cell);

// Why a cell is not a number, where there is a usual reason, as the end of a sentence; or empty.
std::string number_hint(std::string_view cell);

bool is_valid_utf8(std::string_view text);

// The cell in quotes, on one line, at most 40 bytes of it, unprintable bytes as \x00.
std::string in_quotes(std::string_view cell);

// "a, b, c", shortened in the middle of a long list.
std::string listed(std::span<const std::string> names, std::size_t most = 12);

// "; did you mean 'age'?", or "" if nothing is near. Also for the options of the command.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

// "t.csv: there is no column 'aeg'; did you mean 'age'? (columns: age, dose)"
std::string unknown_column(std::string_view source,
                           std::string_view name,
                           std::span<const std::string> known);

}  // namespace ggpm::data
