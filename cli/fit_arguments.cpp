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

CLI::Option* add_word(CLI::App* command,
                      const std::string& name,
                      std::string& value,
                      const std::string& type,
                      const std::string& help) {
  return command->add_option(name, value, help)->type_name(type);
}

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

void add_columns(CLI::App* command, FitArguments& a) {
  command->add_option("DATA", a.table.path, "CSV or TSV with a header; - is standard input")
      ->required();
  add_word(command, "--target", a.table.columns.target, "COL", "The column to be explained")
      ->required()
      ->group(kColumns);
  add_names(command, "--inputs", a.table.inputs, "The columns that explain it (all others)")
      ->group(kColumns);
  add_word(command, "--trials", a.table.columns.trials, "COL", "binomial: number of trials")
      ->group(kColumns);
  command->add_flag("--counts", a.table.counts, "binomial: a target of 0 and 1 is not fractions")
      ->group(kColumns);
  add_word(command, "--exposure", a.table.columns.exposure, "COL", "Counts: multiplies the mean")
      ->group(kColumns);
  add_word(command, "--offset", a.table.columns.offset, "COL", "Added to the latent function")
      ->group(kColumns);
  command
      ->add_option_function<std::string>(
          "--missing",
          [&a](const std::string& text) {
            if (text != "error" && text != "drop")
              throw UsageError("--missing: there are: error, drop");
            a.table.missing = text == "drop" ? MissingPolicy::drop : MissingPolicy::error;
          },
          "Rows with missing cells (error)")
      ->type_name("error|drop")
      ->group(kColumns);
  command->add_flag("--squeeze", a.table.squeeze, "Move y from [0, 1] into (0, 1), for beta")
      ->group(kColumns);
}

void add_model(CLI::App* command, FitArguments& a) {
  Specification& s = a.specification;
  add_word(command,
           "--likelihood",
           a.likelihood,
           "NAME|auto|FILE.toml",
           "See ggpm likelihoods (auto: by the target)")
      ->group(kModel);
  add_word(command, "--link", s.link, "NAME", "See ggpm likelihoods (the family's first)")
      ->group(kModel);
  add_choice(command,
             "--inference",
             a.inference,
             {"auto", "exact", "taylor", "laplace", "ep", "kld"},
             "(auto: the most accurate for this many rows)")
      ->group(kModel);
  add_word(command, "--kernel", s.kernel, "EXPR", "See ggpm kernels (rbf)")->group(kModel);
  add_word(command, "--mean", s.mean, "EXPR", "zero, constant or linear (zero)")->group(kModel);
  command
      ->add_option_function<std::string>(
          "--dispersion",
          [&a](const std::string& text) { read_dispersion(a, text); },
          "Where its learning starts; fixed(P) holds it")
      ->type_name("P")
      ->group(kModel);
  add_positive(command, "--df", s.likelihood_options.df, "student-t: degrees of freedom (4)")
      ->group(kModel);
  command->add_flag("--learn-df", s.likelihood_options.learn_df, "student-t: learn them")
      ->group(kModel);
  command
      ->add_option_function<std::string>(
          "--expansion",
          [&a](const std::string& text) {
            std::string point;
            if (text != "auto" && text != "exact" && text != "canonical" && text != "agnostic")
              throw UsageError("--expansion: there are: auto, exact, canonical, agnostic");
            a.specification.expansion.point = expansion_point(text);
          },
          "Where taylor expands (auto)")
      ->type_name("exact|canonical|agnostic")
      ->group(kModel);
  command
      ->add_option_function<std::string>(
          "--expansion-offset",
          [&a](const std::string& text) {
            const double c = parse_number_option("--expansion-offset", text);
            if (c < 0) throw UsageError("--expansion-offset: " + text + " is below 0");
            a.specification.expansion.offset = c;
          },
          "Added to counts there (0.5 if any is 0)")
      ->type_name("C")
      ->group(kModel);
  add_word(command, "--warp", s.warp, "W", "gaussian: log, logit, arctanh or tanh:3 of the target")
      ->group(kModel);
}

void add_learning(CLI::App* command, FitArguments& a, Numbers& n) {
  add_whole(command, "--restarts", n.restarts, "Random starts (50)", 0, 100000)->group(kLearning);
  add_whole(command, "--seed", n.seed, "Same seed, same result (1)", 0, INT64_MAX)
      ->group(kLearning);
  add_whole(command, "--threads", n.threads, "(0: as many as there are cores)", 0, 1024)
      ->group(kLearning);
  add_whole(command, "--max-evaluations", n.evaluations, "Of each run (200)", 1, 1000000)
      ->group(kLearning);
  command->add_flag("--no-optimize", n.no_optimize, "Use the given hyperparameters as they are")
      ->group(kLearning);
  command->add_flag("--no-standardize", n.no_standardize, "Use the inputs as they are")
      ->group(kLearning);
  command->add_flag("--check-gradient", a.check_gradient, "Compare it with differences")
      ->group(kLearning);
  command
      ->add_option_function<std::string>(
          "--memory",
          [&a](const std::string& text) {
            a.options.memory_limit = static_cast<std::uint64_t>(parse_bytes("--memory", text));
          },
          "Refuse a fit that needs more, e.g. 2G")
      ->type_name("BYTES")
      ->group(kLearning);
}

void add_output(CLI::App* command, FitArguments& a) {
  add_word(command, "-o", a.output, "FILE", "Save the model")->group(kOutput);
  command->add_flag("--json", a.json, "The result as one JSON object")->group(kOutput);
  command->add_flag("--quiet", a.quiet, "No progress and no notes; warnings stay")->group(kOutput);
}

}  // namespace

void add_fit(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fit", "Fit a model to a table");
  auto a = std::make_shared<FitArguments>();
  auto n = std::make_shared<Numbers>();
  add_columns(command, *a);
  add_model(command, *a);
  add_learning(command, *a, *n);
  add_output(command, *a);
  command->callback([a, n] {
    a->options.restarts = static_cast<int>(n->restarts);
    a->options.seed = static_cast<std::uint64_t>(n->seed);
    a->options.threads = static_cast<int>(n->threads);
    a->options.max_evaluations = static_cast<int>(n->evaluations);
    a->options.optimize = !n->no_optimize;
    a->table.standardize = !n->no_standardize;
    run_fit(*a);
  });
  add_examples(
      *command,
      "  ggpm fit examples/counts.csv --target n -o counts.ggpm\n"
      "  ggpm fit examples/counts.csv --target n --likelihood com-poisson --inference laplace \\\n"
      "    --kernel 'linear + rbf' --restarts 10 --json\n"
      "  ggpm simulate --likelihood gamma-shape | ggpm fit - --target y --restarts 5\n"
      "Ctrl-C stops at the best model so far, saves it and ends with code 130.\n");
}

}  // namespace ggpm::cli
