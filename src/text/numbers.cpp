// Numbers in and out, and what to do with those that are written in another way.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "text/text.hpp"

namespace ggpm::internal::text {
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

// The zeros of the decimal digits of Unicode (category Nd); nine more follow each.
constexpr std::array<char32_t, 47> kZeros = {
    0x0660,  0x06F0,  0x07C0,  0x0966,  0x09E6,  0x0A66,  0x0AE6,  0x0B66,  0x0BE6,  0x0C66,
    0x0CE6,  0x0D66,  0x0DE6,  0x0E50,  0x0ED0,  0x0F20,  0x1040,  0x1090,  0x17E0,  0x1810,
    0x1946,  0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,
    0xA900,  0xA9D0,  0xA9F0,  0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x11066, 0x110F0, 0x11136,
    0x111D0, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E950};

// What the character means in a number, or 0.
char plain_character(char32_t c) {
  if (c < 0x80) return static_cast<char>(c);
  for (const char32_t zero : kZeros)
    if (c >= zero && c < zero + 10) return static_cast<char>('0' + (c - zero));
  switch (c) {
    case 0x00A0:  // spaces that do not break, and narrow ones
    case 0x2007:
    case 0x2009:
    case 0x202F:
      return ' ';
    case 0x2212:  // minus signs
    case 0xFF0D:
      return '-';
    case 0x066B:  // the Arabic decimal mark and thousands separator
      return ',';
    case 0x066C:
    case 0x2019:
      return '\'';
    case 0xFF0C:
      return ',';
    case 0xFF0E:
      return '.';
    default:
      return '\0';
  }
}

// The cell with 0-9, a point and a minus of ASCII, or "" if other characters are in it.
std::string in_ascii(std::string_view cell) {
  std::string out;
  while (!cell.empty()) {
    const std::size_t length = utf8_length(cell);
    if (length == 0) return {};
    const char c = plain_character(code_point(cell.substr(0, length)));
    if (c == '\0') return {};
    out += c;
    cell.remove_prefix(length);
  }
  return out;
}

bool is_decimal_comma(std::string cell) {
  const auto comma = cell.find(',');
  if (comma == std::string::npos || cell.find_first_of(",.", comma + 1) != std::string::npos ||
      cell.find('.') != std::string::npos)
    return false;
  cell[comma] = '.';
  return parse_number(cell).has_value();
}

// 1,234,567.8 and 1.234.567,8 and 1'234'567 and 12,34,567: one to three digits, then groups of three
// (in India of two, but for the last) behind the same separator; then perhaps other decimals.
bool is_grouped(std::string_view cell) {
  if (!cell.empty() && (cell[0] == '+' || cell[0] == '-')) cell.remove_prefix(1);
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < cell.size() && is_digit(cell[count])) ++count;
    cell.remove_prefix(count);
    return count;
  };
  const std::size_t first = digits();
  if (first < 1 || first > 3 || cell.empty()) return false;
  const char separator = cell[0];
  if (std::string_view(",.' _").find(separator) == std::string_view::npos) return false;
  std::size_t last = 0, groups = 0;
  while (!cell.empty() && cell[0] == separator) {
    if (groups > 0 && last != 3 && !(last == 2 && separator == ',')) return false;
    cell.remove_prefix(1);
    last = digits();
    ++groups;
  }
  if (last != 3) return false;
  if (separator == '.' && groups == 1 && cell.empty()) return false;  // 1.234 is a number
  if (cell.empty()) return true;
  if (cell[0] != '.' && cell[0] != ',') return false;
  cell.remove_prefix(1);
  digits();
  return cell.empty();
}

bool is_hexadecimal(std::string_view cell) {
  if (!cell.empty() && (cell[0] == '+' || cell[0] == '-')) cell.remove_prefix(1);
  if (!cell.starts_with("0x") && !cell.starts_with("0X")) return false;
  double value = 0;
  const char* const end = cell.data() + cell.size();
  return std::from_chars(cell.data() + 2, end, value, std::chars_format::hex).ptr == end &&
         cell.size() > 2;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string with_digits(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const double power = std::floor(std::log10(std::abs(value))) - digits + 1;
  // Tens by multiplying, tenths by dividing: either is exact.
  const double unit = std::pow(10.0, std::abs(power));
  return fmt::format("{:.10g}",
                     power < 0 ? std::round(value * unit) / unit : std::round(value / unit) * unit);
}

std::string shortest(double value) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string number_hint(std::string_view cell) {
  const std::string plain(trimmed(in_ascii(cell)));
  if (plain.empty()) return {};
  const bool number = parse_number(plain).has_value();
  if (is_decimal_comma(plain)) return "write the decimal mark as a point";
  if (is_grouped(plain)) return "remove the thousands separators";
  if (is_hexadecimal(plain)) return "hexadecimal numbers are not read";
  return number && plain != trimmed(cell) ? "write it with 0-9, a point and a plain minus" : "";
}

bool is_rounded(std::string_view cell, double value) {
  constexpr std::size_t kExactDigits = 15;  // so many are always kept
  cell = trimmed(cell);
  if (!cell.empty() && (cell[0] == '+' || cell[0] == '-')) cell.remove_prefix(1);
  if (cell.size() <= kExactDigits || !std::isfinite(value)) return false;
  if (const auto point = cell.find('.'); point != std::string_view::npos) {
    if (cell.find_first_not_of('0', point + 1) != std::string_view::npos) return false;
    cell = cell.substr(0, point);
  }
  cell.remove_prefix(std::min(cell.find_first_not_of('0'), cell.size()));
  if (cell.size() <= kExactDigits || !std::all_of(cell.begin(), cell.end(), is_digit)) return false;
  std::array<char, 400> kept;  // the largest double has 309 digits
  const char* const end =
      std::to_chars(
          kept.data(), kept.data() + kept.size(), std::abs(value), std::chars_format::fixed, 0)
          .ptr;
  return cell != std::string_view(kept.data(), static_cast<std::size_t>(end - kept.data()));
}

}  // namespace ggpm::internal::text

namespace ggpm {

using namespace internal;
using namespace internal::text;

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

}  // namespace ggpm
