// The arguments of ggpm fit.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/fit.hpp"
#include "cli/words.hpp"

namespace ggpm::cli {
namespace {

constexpr const char* kModel = "Model";
constexpr const char* kColumns = "Columns";
constexpr const char* kLearning = "Learning";
constexpr const char* kOutput = "Output";

// Whole numbers as they are read; copied to the options of the library afterwards.
struct Numbers {
  std::int64_t restarts = 50, seed = 1, threads = 0, evaluations = 200;
  bool no_optimize = false, no_standardize = false;
};

// "0.5" is where learning starts, "fixed(0.5)" is held.
void read_dispersion(FitArguments& arguments, std::string text) {
  const bool held = text.starts_with("fixed(") && text.ends_with(')');
  if (held) text = text.substr(6, text.size() - 7);
  const double value = parse_number_option("--dispersion", text);
  if (!(value > 0)) throw UsageError("--dispersion: " + text + " is not above 0");
  arguments.specification.likelihood_options.dispersion = value;
  if (held) arguments.options.fixed.emplace_back("dispersion");
}

ExpansionPoint expansion_point(const std::string& name) {
  return name == "exact"       ? ExpansionPoint::exact
         : name == "canonical" ? ExpansionPoint::canonical
         : name == "agnostic"  ? ExpansionPoint::agnostic
                               : ExpansionPoint::automatic;
}

void add_columns(Command& command, FitArguments& a) {
  command.text("DATA", a.data, "CSV or TSV with a header; - is standard input").required().reads();
  command.text("--target", a.table.roles.target, "The column to be explained")
      .type("COL")
      .required()
      .group(kColumns);
  command.names("--inputs", a.table.inputs, "The columns that explain it (all others)")
      .group(kColumns);
  command.text("--trials", a.table.roles.trials, "binomial: number of trials")
      .type("COL")
      .group(kColumns);
  command.text("--exposure", a.table.roles.exposure, "Counts: multiplies the mean")
      .type("COL")
      .group(kColumns);
  command.text("--offset", a.table.roles.offset, "Added to the latent function")
      .type("COL")
      .group(kColumns);
  command.missing(a.table.missing).group(kColumns);
  command.flag("--squeeze", a.table.squeeze, "Move y from [0, 1] into (0, 1), for beta")
      .group(kColumns);
}

void add_model(Command& command, FitArguments& a) {
  Specification& s = a.specification;
  command.text("--likelihood", a.likelihood, "See ggpm likelihoods (auto: by the target)")
      .type("NAME|auto|FILE.toml")
      .group(kModel)
      .reads_formulas();
  command.text("--link", s.link, "See ggpm likelihoods (the family's first)")
      .type("NAME")
      .group(kModel);
  command
      .choice("--inference",
              a.inference,
              {"auto", "exact", "taylor", "laplace", "ep", "kld"},
              "(auto: the most accurate for this many rows)")
      .group(kModel);
  command.text("--kernel", s.kernel, "See ggpm kernels (rbf)").type("EXPR").group(kModel);
  command.text("--mean", s.mean, "zero, constant or linear (zero)").type("EXPR").group(kModel);
  command
      .read(
          "--dispersion",
          [&a](const std::string& text) { read_dispersion(a, text); },
          "Where its learning starts; fixed(P) holds it")
      .type("P")
      .group(kModel);
  command.positive("--df", s.likelihood_options.df, "student-t: degrees of freedom (4)")
      .group(kModel);
  command.flag("--learn-df", s.likelihood_options.learn_df, "student-t: learn them").group(kModel);
  command
      .read(
          "--expansion",
          [&a](const std::string& text) {
            if (text != "auto" && text != "exact" && text != "canonical" && text != "agnostic")
              throw UsageError("--expansion: there are: auto, exact, canonical, agnostic");
            a.specification.expansion.point = expansion_point(text);
          },
          "Where taylor expands (auto)")
      .type("exact|canonical|agnostic")
      .group(kModel);
  command
      .read(
          "--expansion-offset",
          [&a](const std::string& text) {
            const double c = parse_number_option("--expansion-offset", text);
            if (c < 0) throw UsageError("--expansion-offset: " + text + " is below 0");
            a.specification.expansion.offset = c;
          },
          "Added to counts there (0.5 if any is 0)")
      .type("C")
      .group(kModel);
  command.text("--warp", s.warp, "gaussian: log, logit, arctanh or tanh:3 of the target")
      .type("W")
      .group(kModel);
}

void add_learning(Command& command, FitArguments& a, Numbers& n) {
  command.whole("--restarts", n.restarts, "Random starts (50)", 0, 100000).group(kLearning);
  command.whole("--seed", n.seed, "Same seed, same result (1)", 0, INT64_MAX).group(kLearning);
  command.threads(n.threads).group(kLearning);
  command.whole("--max-evaluations", n.evaluations, "Of each run (200)", 1, 1000000)
      .group(kLearning);
  command.flag("--no-optimize", n.no_optimize, "Use the given hyperparameters as they are")
      .group(kLearning);
  command.flag("--no-standardize", n.no_standardize, "Use the inputs as they are").group(kLearning);
  command.flag("--check-gradient", a.check_gradient, "Compare it with differences")
      .group(kLearning);
  command
      .read(
          "--memory",
          [&a](const std::string& text) {
            a.options.memory_limit = static_cast<std::uint64_t>(parse_bytes("--memory", text));
          },
          "Refuse a fit that needs more, e.g. 2G")
      .type("BYTES")
      .group(kLearning);
}

void add_output(Command& command, FitArguments& a) {
  command.text("-o", a.output, "Save the model").type("FILE").group(kOutput).writes();
  command.flag("--json", a.json, "The result as one JSON object").group(kOutput);
  command.flag("--quiet", a.quiet, "No progress and no notes; warnings stay").group(kOutput);
}

}  // namespace

void add_fit(CLI::App& app) {
  Command command(app, "fit", "Fit a model to a table");
  auto a = std::make_shared<FitArguments>();
  auto n = std::make_shared<Numbers>();
  add_columns(command, *a);
  add_model(command, *a);
  add_learning(command, *a, *n);
  add_output(command, *a);
  command.run([a, n] {
    a->options.restarts = static_cast<int>(n->restarts);
    a->options.seed = static_cast<std::uint64_t>(n->seed);
    a->options.threads = static_cast<int>(n->threads);
    a->options.max_evaluations = static_cast<int>(n->evaluations);
    a->options.optimize = !n->no_optimize;
    a->table.standardize = !n->no_standardize;
    run_fit(*a);
  });
  command.examples(
      "  ggpm fit examples/counts.csv --target n -o counts.ggpm\n"
      "  ggpm fit examples/counts.csv --target n --likelihood com-poisson --inference laplace \\\n"
      "    --kernel 'linear + rbf' --restarts 10 --json\n"
      "  ggpm simulate --likelihood gamma-shape | ggpm fit - --target y --restarts 5\n"
      "Ctrl-C stops at the best model so far, saves it and ends with code 130.\n");
}

}  // namespace ggpm::cli
