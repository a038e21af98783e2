#include "cli/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "ggpm/ranks.hpp"
#include "ggpm/text.hpp"
#include "ggpm/types.hpp"

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

Argument& Argument::reads() {
  files_.read.push_back(option_);
  return *this;
}

Argument& Argument::reads_formulas() {
  files_.formulas.push_back(option_);
  return *this;
}

Argument& Argument::writes() {
  files_.written.push_back(option_);
  return *this;
}

Command::Command(CLI::App& app, const std::string& name, const std::string& help)
    : app_(app.add_subcommand(name, help)) {}

Argument Command::read(const std::string& name, const Reader& reader, const std::string& help) {
  return {app_->add_option_function<std::string>(name, reader, help), *files_};
}

namespace {

// A shell makes an empty word of a variable that is not set.
void require_text(const std::string& name, const std::string& text) {
  if (text.empty()) throw UsageError(name + ": the text is empty; give one, or leave it out");
}

}  // namespace

Argument Command::text(const std::string& name, std::string& value, const std::string& help) {
  return read(
      name,
      [&value, name](const std::string& text) {
        require_text(name, text);
        value = text;
      },
      help);
}

Argument Command::texts(const std::string& name,
                        std::vector<std::string>& value,
                        const std::string& help) {
  CLI::Option* option = app_->add_option(name, value, help);
  option->each([name](const std::string& text) {
    if (text.empty()) throw UsageError(name + ": a text is empty");
  });
  return {option, *files_};
}

Argument Command::flag(const std::string& name, bool& value, const std::string& help) {
  return {app_->add_flag(name, value, help), *files_};
}

// CLI11 reads 010 as eight and nan as a number, so numbers are read here.
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
  CLI::Option* option = app_->add_option_function<std::string>(
      name, [&value, name](const std::string& text) { value = parse_names(name, text); }, help);
  files_->lists.push_back(option);
  return Argument(option, *files_).type("A,B");
}

Argument Command::choice(const std::string& name,
                         std::string& value,
                         const std::vector<std::string>& choices,
                         const std::string& help) {
  return read(
             name,
             [&value, name, choices](const std::string& text) {
               value = parse_choice_option(name, text, choices);
             },
             help)
      .type(fmt::format("{}", fmt::join(choices, "|")));
}

Argument Command::option(const std::string& name, FitRequest& request) {
  const OptionInfo& info = fit_option(name);
  std::string words = name;
  std::replace(words.begin(), words.end(), '_', '-');
  const std::string value = get_option(request, name);
  if (info.kind == OptionKind::flag) {
    const bool on = value == "true";
    std::string help = on ? "Do not " + info.help : info.help;
    if (on) help[7] = static_cast<char>(std::tolower(help[7]));
    return Argument(app_->add_flag_callback(
                        (on ? "--no-" : "--") + words,
                        [&request, name, on] { set_option(request, name, on ? "false" : "true"); },
                        help),
                    *files_)
        .group(info.group);
  }
  const std::string spelled = "--" + words;
  const std::map<std::string, std::string> shorter = {{"memory_limit", ",--memory"},
                                                      {"factors", ",--factor"}};
  const auto other = shorter.find(name);
  Argument out = read(
      other == shorter.end() ? spelled : spelled + other->second,
      [&request, name, spelled](const std::string& text) {
        require_text(spelled, text);
        set_option(request, name, text, spelled);
      },
      fmt::format("{} ({})", info.help, value.empty() ? info.fallback : value));
  if (name == "likelihood") out.reads_formulas();
  if (name == "resume") out.writes();
  return out.type(info.value).group(info.group);
}

void Command::spreadsheet(CsvText& value) {
  app_->add_flag_callback(
      "--spreadsheet",
      [&value] { value = CsvText::for_spreadsheets; },
      "Text that begins with =, +, - or @ behind an apostrophe, so that none is a formula");
}

void Command::examples(std::string_view lines) { app_->footer("Examples:\n" + std::string(lines)); }

namespace {

std::vector<std::string> paths_of(const CLI::Option* option, const FileOptions& files) {
  const bool list = std::find(files.lists.begin(), files.lists.end(), option) != files.lists.end();
  if (!list || option->empty()) return option->reduced_results();
  return parse_names(option->get_name(), option->reduced_results().back());
}

// Only files can be lost: pipes and devices may well be both.
bool are_one_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool there = fs::exists(a, error) && fs::exists(b, error);
  if (there) return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  return fs::weakly_canonical(fs::absolute(a, error), error) ==
         fs::weakly_canonical(fs::absolute(b, error), error);
}

void check_files(const FileOptions& files) {
  std::vector<std::pair<std::string, std::string>> taken;  // name of the option, path
  for (const CLI::Option* option : files.read)
    for (const std::string& path : paths_of(option, files))
      taken.emplace_back(option->get_name(), path == "-" ? "/dev/stdin" : path);
  for (const CLI::Option* option : files.formulas)
    for (const std::string& path : paths_of(option, files))
      if (path.ends_with(".toml")) taken.emplace_back(option->get_name(), path);
  for (const CLI::Option* option : files.written)
    for (const std::string& path : paths_of(option, files)) {
      for (const auto& [name, other] : taken)
        if (path != "-" && are_one_file(path, other))
          throw UsageError(
              fmt::format("{}: {} is the file of {}, which it would replace; give it "
                          "another name",
                          option->get_name(),
                          in_quotes(path),
                          name));
      taken.emplace_back(option->get_name(), path);
    }
}

// What ranks of an MPI job share out; everything else is done by one process.
constexpr std::array<std::string_view, 3> kSharedByRanks{"fit", "predict", "score"};

void introduce_ranks(const CLI::App& app) {
  const RankInfo& ranks = rank_info();
  if (ranks.size == 1) return;
  const std::string& name = app.get_name();
  if (std::find(kSharedByRanks.begin(), kSharedByRanks.end(), name) == kSharedByRanks.end())
    throw UsageError(fmt::format(
        "{}: is done by one process; start it without mpirun or srun. Ranks share the work of {}; "
        "compare has --part",
        name,
        fmt::join(kSharedByRanks, ", ")));
  const CLI::Option* quiet = app.get_option_no_throw("--quiet");
  if (quiet != nullptr && !quiet->empty()) return;
  const auto count = [](int number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  note(fmt::format("{} on {}, {} each ({})",
                   count(ranks.size, "rank"),
                   count(ranks.machines, "machine"),
                   count(ranks.threads, "thread"),
                   ranks.library));
}

}  // namespace

void Command::run(std::function<void()> action) {
  app_->callback([files = files_, action = std::move(action), app = app_] {
    introduce_ranks(*app);
    check_files(*files);
    action();
  });
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
  const std::string nearest = did_you_mean(word, names);
  return nearest.empty() ? "; " + otherwise : nearest;
}

std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  const std::string first = rest.empty() ? "" : rest.front();
  const std::vector<CLI::App*> used = app.get_subcommands();
  if (used.empty()) {
    if (first.starts_with('-')) {
      return fmt::format("unknown option {}{}",
                         in_quotes(first),
                         hint(first, option_names(app), "see ggpm --help"));
    }
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return fmt::format("unknown subcommand {}{}",
                       in_quotes(first),
                       hint(first, names, fmt::format("there are: {}", fmt::join(names, ", "))));
  }
  const std::string name = used.front()->get_name();
  if (!first.starts_with('-'))
    return fmt::format(
        "{}: unexpected argument {}; see ggpm {} --help", name, in_quotes(first), name);
  const std::string option = first.substr(0, first.find('='));
  return fmt::format(
      "{}: unknown option {}{}",
      name,
      in_quotes(option),
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
