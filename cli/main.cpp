// The command: parses, calls the library, shows.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "ggpm/memory.hpp"
#include "ggpm/model.hpp"
#include "ggpm/ranks.hpp"
#include "ggpm/text.hpp"
#include "ggpm/types.hpp"
#include "ggpm/version.hpp"
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ggpm::cli {
namespace {

constexpr std::size_t kLongestMessage = 200;

// One sentence on standard error: by the first rank if all of them have failed, otherwise by the one
// that has, which ends the others.
int complain(std::string_view what, int code) {
  const RankInfo& ranks = rank_info();
  const bool alike = all_ranks_failed();
  clear_progress_line();
  const std::string who =
      alike ? "ggpm: " : fmt::format("ggpm: rank {} on {}: ", ranks.rank, ranks.host);
  if (!alike || is_first_rank())
    std::fprintf(stderr, "%s\n", one_line(who + std::string(what), kLongestMessage).c_str());
  // Ranks that end before the others have left are mistaken for lost ones.
  if (alike)
    leave_ranks();
  else
    abort_ranks(code);
  return code;
}

std::string version_text() {
  const std::string component = mpi_component();
  return fmt::format(
      "ggpm {}\nMPI: {}", version(), component.empty() ? "not built in" : "component " + component);
}

std::string& stored_command_line() {
  static std::string line;
  return line;
}

// What the library says, and which option helps.
std::string sentence_of(const Error& error) {
  const auto with = [&](const char* option) {
    return fmt::format("{} ({})", error.what(), option);
  };
  switch (error.remedy()) {
    case Remedy::none:
      break;
    case Remedy::drop_missing:
      return with("--missing drop");
    case Remedy::squeeze:
      return with("--squeeze");
    case Remedy::trials:
      return with("--trials COLUMN");
    case Remedy::offset:
      return with("--offset COLUMN");
    case Remedy::fewer_inputs:
      return with("--inputs COLUMNS");
  }
  return error.what();
}

struct Subcommand {
  std::string_view name;
  void (*add)(CLI::App&);
};
constexpr std::array<Subcommand, 14> kSubcommands = {{{"fit", add_fit},
                                                      {"predict", add_predict},
                                                      {"score", add_score},
                                                      {"show", add_show},
                                                      {"simulate", add_simulate},
                                                      {"describe", add_describe},
                                                      {"likelihoods", add_likelihoods},
                                                      {"kernels", add_kernels},
                                                      {"inferences", add_inferences},
                                                      {"options", add_options},
                                                      {"report", add_report},
                                                      {"diagnose", add_diagnose},
                                                      {"compare", add_compare},
                                                      {"reproduce", add_reproduce}}};

// The one that the first word names; all of them, for help or a suggestion, where it names none.
void add_commands(CLI::App& app, std::string_view first) {
  const auto named =
      std::find_if(kSubcommands.begin(), kSubcommands.end(), [&](const Subcommand& subcommand) {
        return subcommand.name == first;
      });
  if (named != kSubcommands.end()) return named->add(app);
  for (const Subcommand& subcommand : kSubcommands) subcommand.add(app);
}

int run(int argc, char** argv) {
  stored_command_line() = "ggpm";
  for (int i = 1; i < argc; ++i) stored_command_line() += " " + shell_word(argv[i]);
  CLI::App app("Gaussian process regression for outputs that are not real numbers", "ggpm");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.get_formatter()->column_width(30);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.footer(
      "Examples:\n"
      "  ggpm describe examples/counts.csv --target n\n"
      "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
      "  ggpm predict counts.ggpm examples/counts.csv\n"
      "Each subcommand has its own: ggpm SUBCOMMAND --help\n"
      "Exit codes: 0 done, 2 wrong use, 3 bad data, 4 numerical failure, 130 interrupted\n");
  add_commands(app, argc > 1 ? argv[1] : "");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    if (is_first_rank()) app.exit(help);
    flush_output();
    return 0;
  } catch (const CLI::ParseError& error) {
    return complain(explain(app, error), kWrongUse);
  }
  flush_output();
  return 0;
}

// OpenBLAS starts its threads before main. Where memory is too short for their buffers they ask for
// them for ever and cannot be ended, not even by returning; a new process has none to begin with.
void begin_again_if_memory_is_short(char** argv) {
  constexpr const char* kVariable = "OPENBLAS_NUM_THREADS";
  const char* set = std::getenv(kVariable);
  if ((set != nullptr && std::string_view(set) == "1") || blas_threads_fit()) return;
  setenv(kVariable, "1", 1);
  execv("/proc/self/exe", argv);  // where that is not possible, calls of BLAS are still refused
}

// Walks over a tree take and give back matrices of a megabyte thousands of times. What goes back to the
// system costs a page fault for each 4 kB when it is wanted again: a seventh of a fit with eight inputs.
void keep_memory_that_was_freed() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

}  // namespace

const std::string& command_line() { return stored_command_line(); }

}  // namespace ggpm::cli

int main(int argc, char** argv) {
  using namespace ggpm;
  std::signal(SIGPIPE, SIG_DFL);  // a reader that has seen enough ends us quietly
  cli::begin_again_if_memory_is_short(argv);
  cli::keep_memory_that_was_freed();
  cli::occupy_standard_descriptors();
  try {
    join_ranks([](const std::string& line) { cli::note(line); });
    const int code = cli::run(argc, argv);
    leave_ranks();
    return code;
  } catch (const cli::Ending& ending) {
    if (all_ranks_failed())
      leave_ranks();
    else
      abort_ranks(ending.code);
    return ending.code;
  } catch (const UsageError& error) {
    return cli::complain(cli::sentence_of(error), cli::kWrongUse);
  } catch (const DataError& error) {
    return cli::complain(cli::sentence_of(error), cli::kBadData);
  } catch (const NumericalError& error) {
    return cli::complain(cli::sentence_of(error), cli::kNumericalFailure);
  } catch (const Interrupted& error) {
    return cli::complain(error.what(), cli::kInterrupted);
  } catch (const OutOfMemory& error) {
    return cli::complain(error.what(), cli::kBadData);
  } catch (const std::bad_alloc&) {
    return cli::complain("there is not enough memory; use fewer rows", cli::kBadData);
  } catch (const std::exception& error) {
    return cli::complain(error.what(), cli::kNumericalFailure);
  }
}
