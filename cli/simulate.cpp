// ggpm simulate [DATA]: inputs, a latent function drawn from the prior, and outputs drawn from the
// likelihood.
#include "ggpm/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "ggpm/data.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/text.hpp"

namespace ggpm::cli {
namespace {

constexpr std::int64_t kMostSimulatedRows = 20000;  // a dense n x n factor: 3.2 GB

struct SimulateOptions {
  std::string data, output, target = "y";
  std::vector<std::string> inputs;
  std::int64_t rows = 100, dimensions = 1;
  double from = 0, to = 10;
  FitRequest request;
  std::string offset, exposure, trials;
  bool latent = false;
  CsvText text = CsvText::as_it_is;
};

// Inputs x or x1, x2, ... uniform in the range, sorted if there is one.
Table uniform_inputs(const SimulateOptions& options, std::mt19937_64& random) {
  if (!(options.from < options.to))
    throw UsageError("--range: the first number is not below the second");
  std::uniform_real_distribution<double> uniform(options.from, options.to);
  Table table("simulated inputs");
  for (std::int64_t d = 1; d <= options.dimensions; ++d) {
    std::vector<double> x(static_cast<std::size_t>(options.rows));
    for (double& value : x) value = std::round(uniform(random) * 1e6) / 1e6;
    if (options.dimensions == 1) std::sort(x.begin(), x.end());
    table.add_numbers(options.dimensions == 1 ? "x" : "x" + std::to_string(d), std::move(x));
  }
  if (!options.trials.empty()) {
    const std::int64_t N = parse_whole_option("--trials", options.trials, 1, INT64_MAX);
    table.add_numbers(
        "trials",
        std::vector<double>(static_cast<std::size_t>(options.rows), static_cast<double>(N)));
  }
  return table;
}

void simulate_command(const SimulateOptions& options) {
  const Specification& s = options.request.specification;
  std::mt19937_64 random(options.request.options.seed);
  const Kernel unbound = Kernel::parse(s.kernel);
  const Mean free_mean = Mean::parse(s.mean);
  const std::unique_ptr<Likelihood> likelihood =
      make_likelihood(s.likelihood, s.link, s.likelihood_options);
  Table table = options.data.empty() ? uniform_inputs(options, random) : read_csv(options.data);
  if (options.data.empty() && !(options.offset + options.exposure).empty())
    throw UsageError("simulate: --offset and --exposure are columns of DATA, which is missing");
  if (table.rows() > kMostSimulatedRows)
    throw UsageError(
        fmt::format("simulate: {} rows; at most {}", table.rows(), kMostSimulatedRows));

  const ColumnRoles columns{
      .trials = options.data.empty() && !options.trials.empty() ? "trials" : options.trials,
      .exposure = options.exposure,
      .offset = options.offset};
  const Design design = Design::learn(
      table, {.inputs = options.inputs, .exclude = columns.names(), .standardize = false});
  const Matrix X = design.apply(table);
  const Simulated drawn =
      simulate(unbound.bind(X.cols(), design.names()),
               free_mean.bind(X.cols(), design.names()),
               *likelihood,
               {.X = X, .observed = read_observations(table, columns, likelihood->domain())},
               random);
  table.add_numbers(options.target, {drawn.y.begin(), drawn.y.end()});
  const Index n = drawn.y.size(), functions = drawn.latent.size() / n;
  for (Index c = 0; options.latent && c < functions; ++c) {
    const auto values = drawn.latent.segment(c * n, n);
    table.add_numbers(functions == 1 ? "latent" : fmt::format("latent_{}", c + 1),
                      {values.begin(), values.end()});
  }
  Sink sink(options.output);
  sink.write(to_csv(table, options.text));
  sink.commit();
}

}  // namespace

void add_simulate(CLI::App& app) {
  Command command(app, "simulate", "Draw data from a model");
  auto o = std::make_shared<SimulateOptions>();
  o->request.specification.likelihood = "poisson";
  o->request.specification.kernel = "rbf";
  command.text("DATA", o->data, "Take the inputs from this table; its columns are kept").reads();
  command.text("-o", o->output, "Write to this file instead of standard output")
      .type("FILE")
      .writes();
  command.spreadsheet(o->text);
  command.whole("--rows", o->rows, "Without DATA: how many rows (100)", 1, kMostSimulatedRows);
  command.whole("--dimensions", o->dimensions, "Without DATA: how many inputs (1)", 1, 1000);
  command
      .read(
          "--range",
          [o](const std::string& text) {
            const std::vector<double> range = parse_numbers("--range", text);
            if (range.size() != 2) throw UsageError("--range: needs two numbers such as 0,10");
            o->from = range[0];
            o->to = range[1];
          },
          "Without DATA: inputs are uniform in this range (0,10)")
      .type("LOW,HIGH");
  command.names("--inputs", o->inputs, "Columns of DATA that are inputs (all others)");
  command.text("--target", o->target, "Name of the new column (y)").type("NAME");
  for (const char* name :
       {"likelihood", "link", "kernel", "mean", "dispersion", "parameter", "df", "seed"})
    command.option(name, o->request);
  command.text("--offset", o->offset, "Column of DATA added to the latent").type("COL");
  command.text("--exposure", o->exposure, "Column of DATA that multiplies the mean").type("COL");
  command.text("--trials", o->trials, "Column of DATA with the number of trials; or the number")
      .type("COL|N");
  command.flag("--latent", o->latent, "Also write the latent function");
  command.run([o] { simulate_command(*o); });
  command.examples(
      "  ggpm simulate --likelihood poisson --kernel 'rbf(1, 2)' --rows 60 -o counts.csv\n"
      "  ggpm simulate --likelihood beta --dispersion 0.05 | ggpm describe - --target y\n");
}

}  // namespace ggpm::cli
