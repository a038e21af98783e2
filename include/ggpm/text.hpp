// Text that a person gave, as values; and text for messages. What is wrong is a UsageError that
// begins with `option`, the name of what was given as its reader knows it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ggpm {

// A decimal number, the whole cell, independent of the locale. Too large is infinite, too small is
// zero. No hexadecimal numbers, no decimal comma, no other digits than 0-9.
std::optional<double> parse_number(std::string_view cell);

// The text as a terminal may be shown it: control characters, those of direction among them, as
// \u001b, bytes that are no UTF-8 as \xff. Those in `kept` stay. At most about `most` bytes of it.
std::string harmless(std::string_view text,
                     std::string_view kept = "",
                     std::size_t most = std::string_view::npos);

// The cell in quotes, harmless, on one line, at most 40 bytes of it.
std::string in_quotes(std::string_view cell);

// "; did you mean 'age'?", or "" if nothing is near: a few insertions, deletions, replacements and
// swaps of neighbors away, whatever the case.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

// The text as one word of a shell: as it is, or in quotes.
std::string shell_word(std::string_view text);

// ---- Values of options

double parse_number_option(std::string_view option, std::string_view text);  // finite
double parse_positive_option(std::string_view option, std::string_view text);
std::int64_t parse_whole_option(std::string_view option,
                                std::string_view text,
                                std::int64_t lowest,
                                std::int64_t highest);
bool parse_flag_option(std::string_view option, std::string_view text);  // true or false
// One of the choices.
std::string parse_choice_option(std::string_view option,
                                std::string_view text,
                                std::span<const std::string> choices);

// Names separated by commas; one that contains a comma stands in quotes.
std::vector<std::string> parse_names(std::string_view option, std::string_view text);
std::vector<double> parse_numbers(std::string_view option, std::string_view text);

// "rbf(1, 2), linear + rbf": commas inside of brackets belong to their part. Blanks around parts go.
std::vector<std::string> parse_parts(std::string_view option, std::string_view text);

// "4G", "512M", "1000": bytes, above 0.
std::int64_t parse_bytes(std::string_view option, std::string_view text);

}  // namespace ggpm
