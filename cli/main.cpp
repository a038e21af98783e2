// The command: parses, calls the library, shows.
#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>

#include "cli/command.hpp"
#include "ggpm/types.hpp"
#include "ggpm/version.hpp"

namespace ggpm::cli {
namespace {

void check_output(bool good) {
  if (!good)
    throw DataError("standard output: cannot be written: " +
                    std::generic_category().message(errno));
}

// One sentence on standard error.
int complain(const char* what, int code) {
  std::fprintf(stderr, "ggpm: %s\n", what);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Gaussian process regression for outputs that are not real numbers", "ggpm");
  app.set_version_flag("--version", "ggpm " + std::string(version()));
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("ggpm: ") + error.what() + "; see ggpm --help\n";
  });
  add_describe(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUse;
  }
  check_output(std::fflush(stdout) == 0);
  return 0;
}

}  // namespace

void print(std::string_view text) {
  check_output(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void note(std::string_view line) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace ggpm::cli

int main(int argc, char** argv) {
  using namespace ggpm;
  try {
    return cli::run(argc, argv);
  } catch (const UsageError& error) {
    return cli::complain(error.what(), cli::kWrongUse);
  } catch (const DataError& error) {
    return cli::complain(error.what(), cli::kBadData);
  } catch (const NumericalError& error) {
    return cli::complain(error.what(), cli::kNumericalFailure);
  } catch (const std::bad_alloc&) {
    return cli::complain("there is not enough memory", cli::kNumericalFailure);
  } catch (const std::exception& error) {
    return cli::complain(error.what(), cli::kNumericalFailure);
  }
}
