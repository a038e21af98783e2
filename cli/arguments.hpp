// Values of options are read once, here, with a sentence that names the option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ggpm::cli {

// A decimal number, independent of the locale. UsageError names the option.
double parse_number_option(std::string_view option, std::string_view text);
std::int64_t parse_whole_option(std::string_view option,
                                std::string_view text,
                                std::int64_t lowest,
                                std::int64_t highest);

// "a,b" or "'first, second',b": names separated by commas, quoted where they contain one.
std::vector<std::string> parse_names(std::string_view option, std::string_view text);
std::vector<double> parse_numbers(std::string_view option, std::string_view text);
// "512", "512M", "1.5G": bytes.
std::int64_t parse_bytes(std::string_view option, std::string_view text);

// On one line, at most 200 bytes, without what a terminal would obey; the middle goes first.
std::string one_line(std::string_view message, std::size_t longest);

}  // namespace ggpm::cli
