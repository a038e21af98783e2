// Shared by the subcommands. Each lives in a file of its own, adds itself to the application, and
// runs as the callback of its subcommand.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "cli/output.hpp"

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

// The last lines of a help text. The tests run every line that begins with "  ggpm".
void add_examples(CLI::App& command, std::string_view examples);

void add_fit(CLI::App& app);
void add_predict(CLI::App& app);
void add_score(CLI::App& app);
void add_show(CLI::App& app);
void add_simulate(CLI::App& app);
void add_describe(CLI::App& app);
void add_likelihoods(CLI::App& app);
void add_kernels(CLI::App& app);
void add_compare(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_report(CLI::App& app);

}  // namespace ggpm::cli
