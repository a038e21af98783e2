// ggpm show MODEL: what was fitted, for a person.
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/model_json.hpp"
#include "cli/model_text.hpp"
#include "ggpm/model.hpp"

namespace ggpm::cli {
namespace {

void show(const std::string& path, bool json) {
  const SavedModel saved = load_model(path);
  Diagnostics diagnostics;
  try {
    diagnostics.loo = saved.model.loo();
  } catch (const NumericalError& error) {
    warn(error.what());
  }
  print(json ? model_json(saved, diagnostics).dump() + "\n"
             : model_text(saved, diagnostics) + provenance_text(saved));
}

}  // namespace

void add_show(CLI::App& app) {
  CLI::App* command = app.add_subcommand("show", "What is in a model file");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("MODEL", *path, "A file that ggpm fit -o saved")->required();
  command->add_flag("--json", *json, "As fit --json");
  command->callback([path, json] { show(*path, *json); });
  add_examples(*command,
               "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
               "  ggpm show counts.ggpm\n");
}

}  // namespace ggpm::cli
