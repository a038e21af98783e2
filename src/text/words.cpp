// What messages show: harmless text, short lists, the name that was meant.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "text/text.hpp"

namespace ggpm::internal::text {
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

// The name that a few typing mistakes turn into this one, or null.
const std::string* nearest(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t kLongest = 64;  // longer ones are no typing mistake
  if (name.size() > kLongest) return nullptr;
  const std::string* best = nullptr;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongest) continue;
    const std::size_t shorter = std::min(name.size(), candidate.size());
    if (std::max(name.size(), candidate.size()) - shorter >= fewest) continue;
    const std::size_t count = edits(name, candidate);
    if (count < fewest) {
      best = &candidate;
      fewest = count;
    }
  }
  return best;
}

// Characters that would move the cursor, color the screen or turn the direction of what follows.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x200E || c == 0x200F || c == 0x061C ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

}  // namespace

std::string listed(std::span<const std::string> names, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ", ";
    if (names.size() > most && i == most - 1) {
      out += "… ";
      i = names.size() - 1;
    }
    const std::string name = in_quotes(names[i]);
    out += name.substr(1, name.size() - 2);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most, std::size_t head) {
  constexpr std::size_t kEnough = 100000;  // bytes: what a page or a line can show
  std::vector<std::string_view> characters;
  std::string all = harmless(text, "", kEnough);  // returned by moving: not const
  for (std::string_view rest = all; !rest.empty(); rest.remove_prefix(characters.back().size()))
    characters.push_back(rest.substr(0, utf8_length(rest)));
  if (characters.size() <= most) return all;
  std::string out;
  for (std::size_t i = 0; i < head; ++i) out += characters[i];
  out += "…";
  for (std::size_t i = characters.size() - (most - head - 1); i < characters.size(); ++i)
    out += characters[i];
  return out;
}

std::string suggestion(std::string_view name, std::span<const std::string> known) {
  const std::string near = did_you_mean(name, known);
  return near.empty() ? "; known are " + listed(known) : near;
}

std::string unknown_column(std::string_view source,
                           std::string_view name,
                           std::span<const std::string> known) {
  return fmt::format("{}: there is no column {}{} (columns: {})",
                     source,
                     in_quotes(name),
                     did_you_mean(name, known),
                     listed(known));
}

}  // namespace ggpm::internal::text

namespace ggpm {

using namespace internal;
using namespace internal::text;

std::string harmless(std::string_view text, std::string_view kept, std::size_t most) {
  std::string out;
  while (!text.empty() && out.size() < most) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    const char32_t c = length == 0 ? 0 : code_point(character);
    if (length == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (is_control(c) && kept.find(text[0]) == std::string_view::npos)
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return text.empty() ? out : out + "…";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos)
    return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string in_quotes(std::string_view cell) {
  constexpr std::size_t kMaxShown = 39;
  return "'" + harmless(cell, "", kMaxShown) + "'";
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string* near = nearest(name, known);
  return near == nullptr ? std::string() : "; did you mean " + in_quotes(*near) + "?";
}

}  // namespace ggpm
