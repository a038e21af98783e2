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

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// How many bytes the UTF-8 sequence at the front has, or 0 if it is not one. Overlong forms,
// surrogates and values above U+10FFFF are not.
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

}  // namespace

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

std::string number_hint(std::string_view cell) {
  cell = trimmed(cell);
  const auto commas = std::count(cell.begin(), cell.end(), ',');
  const bool only_number_characters =
      cell.find_first_not_of("+-0123456789.,'eE ") == std::string_view::npos;
  if (only_number_characters && commas == 1 && cell.find('.') == std::string_view::npos)
    return "write the decimal mark as a point";
  if (only_number_characters && (commas > 0 || cell.find_first_of("' ") != std::string_view::npos))
    return "remove the thousands separators";
  if (cell.starts_with("0x") || cell.starts_with("0X")) return "hexadecimal numbers are not read";
  return {};
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string in_quotes(std::string_view cell) {
  constexpr std::size_t kMost = 40;
  std::string out = "'";
  while (!cell.empty() && out.size() < kMost) {
    const std::size_t length = utf8_length(cell);
    const auto byte = static_cast<unsigned char>(cell.front());
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
      cell.remove_prefix(1);
    } else {
      out += cell.substr(0, length);
      cell.remove_prefix(length);
    }
  }
  return out + (cell.empty() ? "'" : "…'");
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
