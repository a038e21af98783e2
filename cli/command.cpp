#include "cli/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/arguments.hpp"
#include "ggpm/types.hpp"
#include "text/text.hpp"

namespace ggpm::cli {

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::type(const std::string& words) {
  option_->type_name(words);
  return *this;
}

Argument& Argument::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Command::Command(CLI::App& app, const std::string& name, const std::string& help)
    : app_(app.add_subcommand(name, help)) {}

Argument Command::read(const std::string& name, const Reader& reader, const std::string& help) {
  return Argument(app_->add_option_function<std::string>(name, reader, help));
}

Argument Command::text(const std::string& name, std::string& value, const std::string& help) {
  return Argument(app_->add_option(name, value, help));
}

Argument Command::texts(const std::string& name,
                        std::vector<std::string>& value,
                        const std::string& help) {
  return Argument(app_->add_option(name, value, help));
}

Argument Command::flag(const std::string& name, bool& value, const std::string& help) {
  return Argument(app_->add_flag(name, value, help));
}

// CLI11 reads 010 as eight and nan as a number, so numbers are read here.
Argument Command::positive(const std::string& name, double& value, const std::string& help) {
  return read(
             name,
             [&value, name](const std::string& text) {
               value = parse_number_option(name, text);
               if (!(value > 0)) throw UsageError(fmt::format("{}: {} is not above 0", name, text));
             },
             help)
      .type("NUMBER");
}

Argument Command::whole(const std::string& name,
                        std::int64_t& value,
                        const std::string& help,
                        std::int64_t lowest,
                        std::int64_t highest) {
  return read(
             name,
             [&value, name, lowest, highest](const std::string& text) {
               value = parse_whole_option(name, text, lowest, highest);
             },
             help)
      .type("N");
}

Argument Command::names(const std::string& name,
                        std::vector<std::string>& value,
                        const std::string& help) {
  return read(
             name,
             [&value, name](const std::string& text) { value = parse_names(name, text); },
             help)
      .type("A,B");
}

Argument Command::choice(const std::string& name,
                         std::string& value,
                         const std::vector<std::string>& choices,
                         const std::string& help) {
  return read(
             name,
             [&value, name, choices](const std::string& text) {
               if (std::find(choices.begin(), choices.end(), text) == choices.end())
                 throw UsageError(fmt::format("{}: there is no {}; there are: {}",
                                              name,
                                              data::in_quotes(text),
                                              fmt::join(choices, ", ")));
               value = text;
             },
             help)
      .type(fmt::format("{}", fmt::join(choices, "|")));
}

Argument Command::missing(MissingPolicy& value) {
  return read(
             "--missing",
             [&value](const std::string& text) {
               if (text != "error" && text != "drop")
                 throw UsageError("--missing: there are: error, drop");
               value = text == "drop" ? MissingPolicy::drop : MissingPolicy::error;
             },
             "Rows with missing cells (error)")
      .type("error|drop");
}

Argument Command::threads(std::int64_t& value) {
  return whole("--threads", value, "(0: as many as there are cores)", 0, 1024);
}

void Command::examples(std::string_view lines) { app_->footer("Examples:\n" + std::string(lines)); }

void Command::run(std::function<void()> action) { app_->callback(std::move(action)); }

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

}  // namespace ggpm::cli
