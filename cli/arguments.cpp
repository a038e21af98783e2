#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/command.hpp"
#include "data/text.hpp"
#include "ggpm/types.hpp"

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

namespace {

// CLI11 reads 010 as eight and nan as a number, so the text is read here.
template <class Set>
CLI::Option* add_text(CLI::App* command,
                      const std::string& name,
                      const std::string& type,
                      const std::string& help,
                      Set set) {
  return command
      ->add_option_function<std::string>(
          name, [set](const std::string& text) { set(text); }, help)
      ->type_name(type);
}

std::string shown(const std::string& names) { return names.substr(names.rfind(',') + 1); }

}  // namespace

CLI::Option* add_number(CLI::App* command,
                        const std::string& name,
                        double& value,
                        const std::string& help) {
  return add_text(command, name, "NUMBER", help, [&value, name](const std::string& text) {
    value = parse_number_option(shown(name), text);
  });
}

CLI::Option* add_positive(CLI::App* command,
                          const std::string& name,
                          double& value,
                          const std::string& help) {
  return add_text(command, name, "NUMBER", help, [&value, name](const std::string& text) {
    value = parse_number_option(shown(name), text);
    if (!(value > 0)) throw UsageError(fmt::format("{}: {} is not above 0", shown(name), text));
  });
}

CLI::Option* add_whole(CLI::App* command,
                       const std::string& name,
                       std::int64_t& value,
                       const std::string& help,
                       std::int64_t lowest,
                       std::int64_t highest) {
  return add_text(
      command, name, "N", help, [&value, name, lowest, highest](const std::string& text) {
        value = parse_whole_option(shown(name), text, lowest, highest);
      });
}

CLI::Option* add_names(CLI::App* command,
                       const std::string& name,
                       std::vector<std::string>& value,
                       const std::string& help) {
  return add_text(command, name, "A,B", help, [&value, name](const std::string& text) {
    value = parse_names(shown(name), text);
  });
}

CLI::Option* add_choice(CLI::App* command,
                        const std::string& name,
                        std::string& value,
                        const std::vector<std::string>& choices,
                        const std::string& help) {
  const std::string type = fmt::format("{}", fmt::join(choices, "|"));
  return add_text(command, name, type, help, [&value, name, choices](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end())
      throw UsageError(fmt::format("{}: there is no {}; there are: {}",
                                   shown(name),
                                   data::in_quotes(text),
                                   fmt::join(choices, ", ")));
    value = text;
  });
}

void add_examples(CLI::App& command, std::string_view examples) {
  command.footer("Examples:\n" + std::string(examples));
}

namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// The nearest name if there is one, otherwise where to look.
std::string hint(const std::string& word,
                 const std::vector<std::string>& names,
                 const std::string& otherwise) {
  const std::string nearest = data::did_you_mean(word, names);
  return nearest.empty() ? "; " + otherwise : nearest;
}

std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  const std::string first = rest.empty() ? "" : rest.front();
  const std::vector<CLI::App*> used = app.get_subcommands();
  if (used.empty()) {
    if (first.starts_with('-')) {
      return fmt::format("unknown option {}{}",
                         data::in_quotes(first),
                         hint(first, option_names(app), "see ggpm --help"));
    }
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return fmt::format("unknown subcommand {}{}",
                       data::in_quotes(first),
                       hint(first, names, fmt::format("there are: {}", fmt::join(names, ", "))));
  }
  const std::string name = used.front()->get_name();
  if (!first.starts_with('-'))
    return fmt::format(
        "{}: unexpected argument {}; see ggpm {} --help", name, data::in_quotes(first), name);
  const std::string option = first.substr(0, first.find('='));
  return fmt::format(
      "{}: unknown option {}{}",
      name,
      data::in_quotes(option),
      hint(option, option_names(*used.front()), fmt::format("see ggpm {} --help", name)));
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  if (!app.remaining(true).empty()) return unexpected(app);
  const std::vector<CLI::App*> used = app.get_subcommands();
  if (used.empty()) return "a subcommand is missing; see ggpm --help";
  const std::string name = used.front()->get_name();
  return fmt::format("{}: {}; see ggpm {} --help", name, error.what(), name);
}

std::string one_line(std::string_view message, std::size_t longest) {
  std::string line;
  for (const char c : message) line += static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
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
