// Shared by the subcommands. Each lives in a file of its own, adds itself to the application, and
// runs as the callback of its subcommand.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

namespace ggpm::cli {

// Exit codes: 0 done, and these.
inline constexpr int kWrongUse = 2;
inline constexpr int kBadData = 3;
inline constexpr int kNumericalFailure = 4;

// Results, and nothing else, go to standard output. DataError if it cannot be written.
void print(std::string_view text);
// Progress, notes and warnings go to standard error, one line each.
void note(std::string_view line);

void add_describe(CLI::App& app);

}  // namespace ggpm::cli
