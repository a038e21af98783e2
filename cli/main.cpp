// The command: parses, calls the library, shows. Results go to standard output, the rest to
// standard error.
#include <CLI/CLI.hpp>
#include <string>

#include "ggpm/version.hpp"

int main(int argc, char** argv) {
  CLI::App app("Gaussian process regression for outputs that are not real numbers", "ggpm");
  app.set_version_flag("--version", "ggpm " + std::string(ggpm::version()));
  app.require_subcommand(0, 1);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
