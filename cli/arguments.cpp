#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "ggpm/types.hpp"
#include "text/text.hpp"

namespace ggpm::cli {

double parse_number_option(std::string_view option, std::string_view text) {
  const auto value = data::parse_number(text);
  if (!value || !std::isfinite(*value))
    throw UsageError(fmt::format("{}: {} is not a number", option, data::in_quotes(text)));
  return *value;
}

std::int64_t parse_whole_option(std::string_view option,
                                std::string_view text,
                                std::int64_t lowest,
                                std::int64_t highest) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest || value > highest)
    throw UsageError(fmt::format("{}: {} is not a whole number from {} to {}",
                                 option,
                                 data::in_quotes(text),
                                 lowest,
                                 highest));
  return value;
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
        throw UsageError(
            fmt::format("{}: a comma is missing behind {}", option, data::in_quotes(name)));
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
  const auto value = data::parse_number(digits);
  if (!value || !(*value > 0) || *value * unit > 1e18)
    throw UsageError(fmt::format(
        "{}: {} is not an amount of memory such as 512M or 4G", option, data::in_quotes(text)));
  return static_cast<std::int64_t>(*value * unit);
}

std::string one_line(std::string_view message, std::size_t longest) {
  const std::string line = data::harmless(message);
  if (line.size() <= longest) return line;
  const auto inside = [&](std::size_t place) {  // not the first byte of a character
    return (static_cast<unsigned char>(line[place]) & 0xC0) == 0x80;
  };
  const std::size_t tail = longest * 6 / 10;
  std::size_t head = longest - tail - 5, rest = line.size() - tail;
  while (head > 0 && inside(head)) --head;
  while (rest < line.size() && inside(rest)) ++rest;
  return line.substr(0, head) + " ... " + line.substr(rest);
}

}  // namespace ggpm::cli
