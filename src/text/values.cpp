#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "ggpm/text.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

double parse_number_option(std::string_view option, std::string_view text) {
  const auto value = parse_number(text);
  if (!value || !std::isfinite(*value))
    throw UsageError(fmt::format("{}: {} is not a number", option, in_quotes(text)));
  return *value;
}

std::int64_t parse_whole_option(std::string_view option,
                                std::string_view text,
                                std::int64_t lowest,
                                std::int64_t highest) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest || value > highest)
    throw UsageError(fmt::format(
        "{}: {} is not a whole number from {} to {}", option, in_quotes(text), lowest, highest));
  return value;
}

double parse_positive_option(std::string_view option, std::string_view text) {
  const double value = parse_number_option(option, text);
  if (!(value > 0)) throw UsageError(fmt::format("{}: {} is not above 0", option, text));
  return value;
}

bool parse_flag_option(std::string_view option, std::string_view text) {
  if (text != "true" && text != "false")
    throw UsageError(fmt::format("{}: {} is neither true nor false", option, in_quotes(text)));
  return text == "true";
}

std::string parse_choice_option(std::string_view option,
                                std::string_view text,
                                std::span<const std::string> choices) {
  if (std::find(choices.begin(), choices.end(), text) == choices.end())
    throw UsageError(fmt::format(
        "{}: there is no {}; there are: {}", option, in_quotes(text), fmt::join(choices, ", ")));
  return std::string(text);
}

std::vector<std::string> parse_names(std::string_view option, std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    std::string_view name;
    if (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
      const auto end = text.find(text.front(), 1);
      if (end == std::string_view::npos)
        throw UsageError(fmt::format("{}: the quote in {} does not end", option, text));
      name = text.substr(1, end - 1);
      text.remove_prefix(end + 1);
      if (!text.empty() && text.front() != ',')
        throw UsageError(fmt::format("{}: a comma is missing behind {}", option, in_quotes(name)));
    } else {
      name = text.substr(0, text.find(','));
      text.remove_prefix(name.size());
    }
    if (name.empty()) throw UsageError(fmt::format("{}: a name between commas is empty", option));
    names.emplace_back(name);
    if (text.empty()) return names;
    text.remove_prefix(1);
  }
}

std::vector<double> parse_numbers(std::string_view option, std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& part : parse_names(option, text))
    numbers.push_back(parse_number_option(option, part));
  return numbers;
}

std::vector<std::string> parse_parts(std::string_view option, std::string_view text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else if (c != ' ' || !out.back().empty())
      out.back() += c;
  }
  for (std::string& part : out) {
    part.erase(part.find_last_not_of(' ') + 1);
    if (part.empty()) throw UsageError(fmt::format("{}: a part between commas is empty", option));
  }
  return out;
}

std::int64_t parse_bytes(std::string_view option, std::string_view text) {
  double unit = 1;
  std::string_view digits = text;
  constexpr std::string_view units = "KMGT";
  if (!digits.empty()) {
    const auto place = units.find(static_cast<char>(std::toupper(digits.back())));
    if (place != std::string_view::npos) {
      unit = std::pow(1024.0, static_cast<double>(place) + 1);
      digits.remove_suffix(1);
    }
  }
  const auto value = parse_number(digits);
  if (!value || !(*value > 0) || *value * unit > 1e18)
    throw UsageError(fmt::format(
        "{}: {} is not an amount of memory such as 512M or 4G", option, in_quotes(text)));
  return static_cast<std::int64_t>(*value * unit);
}

}  // namespace ggpm
