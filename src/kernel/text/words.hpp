// Numbers and words as they stand in expressions and in messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ggpm::kern {

// The shortest decimal that reads back equal, independent of the locale.
std::string shortest(double value);

// For messages: at most `limit` characters, "..." for the rest, '?' for control characters and for
// bytes that are not UTF-8.
std::string printable(std::string_view text, std::size_t limit);

// "; did you mean 'rbf'?", or "; known are rbf, linear" if nothing is close.
std::string suggestion(std::string_view word, std::span<const std::string> known);

// "rbf, linear, white"
std::string listing(std::span<const std::string> words);

}  // namespace ggpm::kern
