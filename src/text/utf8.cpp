#include <utf8.h>

#include <algorithm>

#include "text/text.hpp"

namespace ggpm::internal::text {

bool is_valid_utf8(std::string_view text) { return utf8::is_valid(text.begin(), text.end()); }

std::size_t utf8_length(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t length = 1; length <= std::min(kLongest, text.size()); ++length)
    if (is_valid_utf8(text.substr(0, length))) return length;
  return 0;
}

char32_t code_point(std::string_view character) {
  return utf8::unchecked::peek_next(character.begin());
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

}  // namespace ggpm::internal::text
