// Text as people write and read it: UTF-8, numbers in and out, what a message shows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ggpm/text.hpp"

namespace ggpm::internal::text {

// A cell that is a number written in another way ("1,5", "1'000", "0x1F", "١٢"): what to do, as the
// end of a sentence. Empty for everything else: names, dates, ranges such as "10-20".
std::string number_hint(std::string_view cell);

// Whether the cell is a whole number that the double it was read as is not: 9007199254740993.
bool is_rounded(std::string_view cell, double value);

// The shortest decimal that reads back to the same double, independent of the locale.
std::string shortest(double value);

// To so many digits for a person, and not as 6e+01: "60", "0.4", "1200".
std::string with_digits(double value, int digits);

std::string_view trimmed(std::string_view text);  // without spaces and tabs around it

bool is_valid_utf8(std::string_view text);
// How many bytes the UTF-8 sequence at the front has, or 0 if it is not one. Overlong forms,
// surrogates and values above U+10FFFF are not.
std::size_t utf8_length(std::string_view text);
char32_t code_point(std::string_view character);  // of one such sequence
std::size_t count_characters(std::string_view text);

// Harmless, on one line, at most `most` characters: the first `head` of them, "…", the last.
std::string shortened(std::string_view text, std::size_t most, std::size_t head);

// "a, b, c", shortened in the middle of a long list.
std::string listed(std::span<const std::string> names, std::size_t most = 12);

// "; did you mean 'age'?" where something is near, or "; known are age, dose".
std::string suggestion(std::string_view name, std::span<const std::string> known);

// "t.csv: there is no column 'aeg'; did you mean 'age'? (columns: age, dose)"
std::string unknown_column(std::string_view source,
                           std::string_view name,
                           std::span<const std::string> known);

}  // namespace ggpm::internal::text
