#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace ggpm::data {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// from_chars says "out of range" for both ends; the place of the first digit that is not zero tells
// them apart.
double out_of_range(std::string_view number) {
  const bool negative = number.front() == '-';
  const auto e = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, e);
  const auto point = static_cast<std::ptrdiff_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::ptrdiff_t>(mantissa.find_first_of("123456789"));
  bool large = point > first;
  if (e != std::string_view::npos) {
    std::string_view digits = number.substr(e + 1);
    if (digits.front() == '+') digits.remove_prefix(1);
    std::ptrdiff_t exponent = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    large =
        error == std::errc::result_out_of_range ? digits.front() != '-' : exponent > first - point;
  }
  const double size = large ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -size : size;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (letter == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The name that a few typing mistakes turn into this one, or null.
const std::string* nearest(std::string_view name, std::span<const std::string> known) {
  if (name.size() > 64) return nullptr;
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > 64) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
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

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
  if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

char32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  char32_t c = character.size() == 1 ? lead : lead & (0x7FU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i)
    c = (c << 6U) | (static_cast<unsigned char>(character[i]) & 0x3FU);
  return c;
}

bool is_missing(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.empty() || cell == "NA") return true;
  if (cell.size() != 3) return false;
  return (cell[0] | 0x20) == 'n' && (cell[1] | 0x20) == 'a' && (cell[2] | 0x20) == 'n';
}

std::optional<double> parse_number(std::string_view cell) {
  cell = trimmed(cell);
  // from_chars knows no plus sign.
  if (cell.size() > 1 && cell[0] == '+' && (is_digit(cell[1]) || cell[1] == '.'))
    cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) return out_of_range(cell);
  if (std::isnan(value)) return std::nullopt;  // "nan(0x7ff)": neither missing nor a number
  return value;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

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

std::string in_quotes(std::string_view cell) {
  constexpr std::size_t kMost = 39;
  return "'" + harmless(cell, "", kMost) + "'";
}

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

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string* near = nearest(name, known);
  return near == nullptr ? std::string() : "; did you mean " + in_quotes(*near) + "?";
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

}  // namespace ggpm::data
