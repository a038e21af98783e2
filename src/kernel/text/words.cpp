#include "kernel/text/words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

namespace ggpm::kern {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Edits (insert, delete, replace, swap neighbors) that turn a into b, ignoring case.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

// Bytes of the UTF-8 character at the start of `text`, 0 if it is not one.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80                     ? 1
                            : first >= 0xC2 && first <= 0xDF ? 2
                            : first >= 0xE0 && first <= 0xEF ? 3
                            : first >= 0xF0 && first <= 0xF4 ? 4
                                                             : 0;
  if (bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  if (bytes > 2) {  // overlong forms, surrogates and beyond U+10FFFF
    const auto second = static_cast<unsigned char>(text[1]);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
      return 0;
  }
  return bytes;
}

}  // namespace

std::string shortest(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == limit) return out + "...";
    const std::size_t bytes = character_bytes(text);
    const bool control = bytes == 1 && std::iscntrl(static_cast<unsigned char>(text[0])) != 0;
    if (bytes == 0 || control)
      out += '?';
    else
      out += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLongestWord = 64;  // longer ones are no typing mistake
  const std::string* best = nullptr;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (word.size() > kLongestWord || candidate.size() > kLongestWord) continue;
    const std::size_t count = edits(word, candidate);
    if (count < fewest) {
      fewest = count;
      best = &candidate;
    }
  }
  if (best != nullptr) return "; did you mean '" + printable(*best, 40) + "'?";
  return "; known are " + listing(known);
}

std::string listing(std::span<const std::string> words) {
  constexpr std::size_t kMost = 12;
  std::string out;
  for (std::size_t i = 0; i < words.size() && i < kMost; ++i)
    out += (i == 0 ? "" : ", ") + printable(words[i], 20);
  return words.size() > kMost ? out + ", ..." : out;
}

}  // namespace ggpm::kern
