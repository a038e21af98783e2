// The arguments of ggpm fit: columns and output here, the options of the fit from the library.
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/fit.hpp"

namespace ggpm::cli {
namespace {

constexpr const char* kColumns = "Columns";
constexpr const char* kOutput = "Output";

void add_columns(Command& command, FitArguments& a) {
  TableOptions& table = a.request.table;
  command.text("DATA", a.data, "CSV or TSV with a header; - is standard input").required().reads();
  command.text("--target", table.roles.target, "The column to be explained")
      .type("COL")
      .group(kColumns);
  command.text("--formula", a.formula, "'y ~ rbf(a, b) + group(c) + offset(log(d))', all in one")
      .type("TEXT")
      .group(kColumns);
  command
      .names("--levels", table.roles.levels, "Classes of the target in their order, lowest first")
      .group(kColumns);
  command.names("--inputs", table.inputs, "The columns that explain it (all others)")
      .group(kColumns);
  command.text("--trials", table.roles.trials, "binomial: number of trials")
      .type("COL")
      .group(kColumns);
  command.text("--exposure", table.roles.exposure, "Counts: multiplies the mean")
      .type("COL")
      .group(kColumns);
  command.text("--offset", table.roles.offset, "Added to the latent function")
      .type("COL")
      .group(kColumns);
  command.text("--weights", table.roles.weight, "A row of weight 3 counts as three rows")
      .type("COL")
      .group(kColumns);
  command.text("--censored", table.roles.censored, "0 observed, 1 at least the target, -1 at most")
      .type("COL")
      .group(kColumns);
  command
      .text("--upper", table.roles.upper, "Upper end of an interval from the target on, or empty")
      .type("COL")
      .group(kColumns);
}

void add_output(Command& command, FitArguments& a) {
  command.text("-o", a.output, "Save the model").type("FILE").group(kOutput).writes();
  command.flag("--json", a.json, "The result as one JSON object").group(kOutput);
  command.flag("--latent", a.latent, "In --json the latents also of more than 100,000 rows")
      .group(kOutput);
  command.flag("--quiet", a.quiet, "No progress and no notes; warnings stay").group(kOutput);
  command.flag("--check-gradient", a.check_gradient, "Compare it with differences").group(kOutput);
}

}  // namespace

void add_fit(CLI::App& app) {
  Command command(app, "fit", "Fit a model to a table");
  auto a = std::make_shared<FitArguments>();
  a->request.specification.likelihood = "auto";  // who brings a table may not know a family
  add_columns(command, *a);
  for (const OptionInfo& option : fit_options()) command.option(option.name, a->request);
  add_output(command, *a);
  command.run([a] { run_fit(*a); });
  command.examples(
      "  ggpm fit examples/counts.csv --target n -o counts.ggpm\n"
      "  ggpm fit examples/counts.csv --target n --likelihood com-poisson --inference laplace \\\n"
      "    --kernel 'linear + rbf' --restarts 10 --json\n"
      "  ggpm simulate --likelihood gamma-shape | ggpm fit - --target y --restarts 5\n"
      "Ctrl-C stops at the best model so far, saves it and ends with code 130.\n");
}

}  // namespace ggpm::cli
