// Shared by the subcommands. Each lives in a file of its own, adds itself to the application, and
// runs as the callback of its subcommand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "ggpm/options.hpp"

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace ggpm::cli {

// Exit codes: 0 done, and these.
inline constexpr int kWrongUse = 2;
inline constexpr int kBadData = 3;
inline constexpr int kNumericalFailure = 4;
inline constexpr int kInterrupted = 130;  // what there was so far is saved

// Thrown after the result is out, to end with a code other than 0.
struct Ending {
  int code;
};

// The arguments as they were given, for the provenance of a model.
const std::string& command_line();

// The options of a subcommand that name files. A file that is written must not be one that is read,
// nor one that another option writes.
struct FileOptions {
  std::vector<const CLI::Option*> read, formulas, written;
  std::vector<const CLI::Option*> lists;  // whose values are names between commas
};

// What more is to be said of an argument.
class Argument {
 public:
  Argument(CLI::Option* option, FileOptions& files) : option_(option), files_(files) {}
  Argument& required();
  Argument& type(const std::string& words);  // what help shows for its value
  Argument& group(const std::string& heading);
  Argument& reads();           // its value is a file, - standard input
  Argument& reads_formulas();  // those of its values that end in .toml are files
  Argument& writes();          // its value is a file that is made or replaced

 private:
  CLI::Option* option_;
  FileOptions& files_;
};

// A subcommand and its arguments. Values are written to the given places when they are given, and
// checked with a sentence that names the option; an empty text is never a value. CLI11 stays behind this border: it takes seconds
// to compile wherever it is included.
class Command {
 public:
  Command(CLI::App& app, const std::string& name, const std::string& help);

  using Reader = std::function<void(const std::string& text)>;
  Argument read(const std::string& name, const Reader& reader, const std::string& help);
  Argument text(const std::string& name, std::string& value, const std::string& help);
  Argument texts(const std::string& name, std::vector<std::string>& value, const std::string& help);
  Argument flag(const std::string& name, bool& value, const std::string& help);
  Argument whole(const std::string& name,
                 std::int64_t& value,
                 const std::string& help,
                 std::int64_t lowest,
                 std::int64_t highest);
  Argument names(const std::string& name, std::vector<std::string>& value, const std::string& help);
  Argument choice(const std::string& name,
                  std::string& value,
                  const std::vector<std::string>& choices,
                  const std::string& help);
  // An option of the library's table: --max-evaluations for "max_evaluations"; --no-optimize for a
  // flag that is on. Its default is what the request holds.
  Argument option(const std::string& name, FitRequest& request);
  void spreadsheet(CsvText& value);  // --spreadsheet

  // The last lines of a help text. The tests run every line that begins with "  ggpm".
  void examples(std::string_view lines);
  void run(std::function<void()> action);

 private:
  CLI::App* app_;
  std::shared_ptr<FileOptions> files_ = std::make_shared<FileOptions>();
};

// What is wrong with the arguments, as a sentence with the nearest name.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

void add_fit(CLI::App& app);
void add_predict(CLI::App& app);
void add_score(CLI::App& app);
void add_show(CLI::App& app);
void add_simulate(CLI::App& app);
void add_describe(CLI::App& app);
void add_likelihoods(CLI::App& app);
void add_kernels(CLI::App& app);
void add_inferences(CLI::App& app);
void add_options(CLI::App& app);
void add_compare(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_report(CLI::App& app);
void add_diagnose(CLI::App& app);

}  // namespace ggpm::cli
