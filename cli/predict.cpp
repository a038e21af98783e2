// ggpm predict MODEL DATA: predictive distributions, a row each, in memory that does not grow with
// DATA.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "ggpm/model.hpp"
#include "ggpm/row_reader.hpp"
#include "ggpm/text.hpp"

namespace ggpm::cli {
namespace {

struct PredictOptions {
  std::string model, data, output;
  std::vector<std::string> columns;
  std::vector<double> quantiles = {0.025, 0.5, 0.975};
  std::vector<double> survival;  // at these outputs
  std::int64_t samples = 0;
  FitRequest request;
  bool latent = false, quiet = false;
  CsvText text = CsvText::as_it_is;
};

// One column of the output. Values of y are shown as classes where the target has names for them.
struct OutputColumn {
  std::string name;
  Vector values;
  bool is_y = false;
};

std::string quantile_name(double p) { return "q" + format_number(p); }
std::string level_name(int level, const std::vector<std::string>& levels) {
  const auto k = static_cast<std::size_t>(level);
  return "p_" + (levels.size() < k ? std::to_string(level) : levels[k - 1]);
}
std::string survival_name(double t) { return "survival" + format_number(t); }

// The columns in their order; those that were asked for, or all.
std::vector<std::string> column_names(const PredictOptions& options,
                                      const Likelihood& likelihood,
                                      const std::vector<std::string>& levels,
                                      bool has_target) {
  std::vector<std::string> names = {"mean", "sd", "mode"};
  if (likelihood.domain() == Domain::positive && likelihood.takes_censored())
    names.emplace_back("median");
  for (const double t : options.survival) names.push_back(survival_name(t));
  for (int k = 1; k <= likelihood.levels(); ++k) names.push_back(level_name(k, levels));
  for (const double p : options.quantiles) names.push_back(quantile_name(p));
  if (options.latent) names.insert(names.end(), {"latent_mean", "latent_sd"});
  if (has_target) names.emplace_back("log_density");
  if (options.columns.empty()) return names;
  for (const std::string& name : options.columns)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError(
          fmt::format("--columns: there is no '{}'; there are: {}", name, fmt::join(names, ", ")));
  return options.columns;
}

Vector counted(Vector values, Index& missing) {
  for (const double value : values) missing += std::isnan(value) ? 1 : 0;
  return values;
}

OutputColumn compute_column(const std::string& name,
                            const Predictions& predictions,
                            const SavedModel& saved,
                            const PredictOptions& options,
                            const Matrix& quantiles,
                            const Vector& y,
                            Index& too_large) {
  if (name == "mean") return {name, counted(predictions.mean(), too_large)};
  if (name == "sd") return {name, counted(predictions.variance().cwiseSqrt(), too_large)};
  if (name == "mode") return {name, predictions.mode(), true};
  for (int k = 1; k <= saved.model.likelihood().levels(); ++k)
    if (name == level_name(k, saved.roles.levels))
      return {name, predictions.log_density(Vector::Constant(predictions.size(), k)).array().exp()};
  if (name == "median") return {name, predictions.quantile(0.5), true};
  for (const double t : options.survival)
    if (name == survival_name(t))
      return {name, 1 - predictions.cdf(Vector::Constant(predictions.size(), t)).array()};
  if (name == "latent_mean") return {name, predictions.latent_mean()};
  if (name == "latent_sd") return {name, predictions.latent_variance().cwiseSqrt()};
  if (name == "log_density") {
    if (y.allFinite()) return {name, predictions.log_density(y)};
    Vector out = y;  // stays missing where the target is
    for (Index i = 0; i < y.size(); ++i)
      if (std::isfinite(y(i))) out(i) = predictions.row(i)->log_density(y(i));
    return {name, out};
  }
  for (std::size_t k = 0; k < options.quantiles.size(); ++k)
    if (name == quantile_name(options.quantiles[k]))
      return {name, quantiles.col(static_cast<Index>(k)), true};
  return {name, Vector()};
}

void append_rows(std::string& out,
                 const std::vector<OutputColumn>& columns,
                 Index rows,
                 const std::vector<std::string>& levels,
                 double first_level,
                 CsvText text) {
  std::vector<std::string> cells(columns.size());
  for (Index i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double value = columns[j].values(i);
      const double place = value - first_level;
      const bool as_class = columns[j].is_y && place >= 0 && place == std::floor(place) &&
                            place < static_cast<double>(levels.size());
      cells[j] = as_class ? levels[static_cast<std::size_t>(place)] : format_number(value);
    }
    append_csv_row(out, cells, text);
  }
}

void predict(const PredictOptions& options) {
  set_quiet(options.quiet);
  const SavedModel saved = load_model(options.model);
  RowReader reader(saved, options.data);
  const std::vector<std::string> names =
      column_names(options, saved.model.likelihood(), saved.roles.levels, reader.has_target());

  const InterruptGuard guard(5);  // so that a file that was begun is removed
  Sink sink(options.output);
  std::string out;
  std::vector<std::string> header = names;
  for (std::int64_t k = 1; k <= options.samples; ++k) header.push_back(fmt::format("sample{}", k));
  append_csv_row(out, header);
  const bool wants_quantiles =
      std::any_of(options.quantiles.begin(), options.quantiles.end(), [&](double p) {
        return std::find(names.begin(), names.end(), quantile_name(p)) != names.end();
      });
  std::uint64_t block_number = 0;
  Index too_large = 0;
  while (const std::optional<Dataset> rows = reader.next()) {
    const Predictions predictions = saved.model.predictive(*rows, options.request.options.threads);
    const Matrix quantiles = wants_quantiles ? predictions.quantiles(options.quantiles) : Matrix();
    std::vector<OutputColumn> columns;
    columns.reserve(names.size());
    for (const std::string& name : names)
      columns.push_back(compute_column(
          name, predictions, saved, options, quantiles, rows->observed.y, too_large));
    if (options.samples > 0) {
      const std::uint64_t seed = options.request.options.seed + 0x9e3779b97f4a7c15 * block_number;
      const Matrix samples = predictions.sample(options.samples, seed);
      for (Index k = 0; k < samples.cols(); ++k)
        columns.push_back({fmt::format("sample{}", k + 1), samples.col(k), true});
    }
    append_rows(out,
                columns,
                predictions.size(),
                saved.roles.levels,
                saved.model.domain() == Domain::ordinal ? 1 : 0,
                options.text);
    sink.write(out);
    out.clear();
    ++block_number;
    if (interrupted()) {
      warn("interrupted: the predictions are not complete");
      throw Ending{kInterrupted};
    }
  }
  for (const std::string& line : reader.notes()) note(line);
  sink.commit();
  if (too_large > 0)
    warn(
        fmt::format("{} means or standard deviations do not exist or are too large: NA; see the "
                    "quantiles",
                    too_large));
}

void read_quantiles(PredictOptions& options, const std::string& text) {
  options.quantiles = parse_numbers("--quantiles", text);
  for (const double p : options.quantiles)
    if (!(p > 0 && p < 1))
      throw UsageError(fmt::format("--quantiles: {} is not between 0 and 1", format_number(p)));
}

}  // namespace

void add_predict(CLI::App& app) {
  Command command(app, "predict", "Predictive distributions of new rows, as CSV");
  auto o = std::make_shared<PredictOptions>();
  command.text("MODEL", o->model, "A file that ggpm fit -o saved").required().reads();
  command.text("DATA", o->data, "CSV or TSV with the inputs; - is standard input")
      .required()
      .reads();
  command.text("-o", o->output, "Write to this file instead of standard output")
      .type("FILE")
      .writes();
  command.spreadsheet(o->text);
  command
      .read(
          "--quantiles",
          [o](const std::string& text) { read_quantiles(*o, text); },
          "(0.025,0.5,0.975)")
      .type("P,Q");
  command
      .read(
          "--survival",
          [o](const std::string& text) { o->survival = parse_numbers("--survival", text); },
          "Also P(y > T) for each of these")
      .type("T,U");
  command.flag("--latent", o->latent, "Also latent_mean and latent_sd");
  command.whole("--samples", o->samples, "Also so many draws: sample1, sample2, ...", 1, 100000);
  command.names("--columns", o->columns, "Only these, in this order, e.g. mean,q0.5");
  for (const char* name : {"seed", "threads"}) command.option(name, o->request);
  command.flag("--quiet", o->quiet, "No notes");
  command.run([o] { predict(*o); });
  command.examples(
      "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
      "  ggpm predict counts.ggpm examples/counts.csv -o predictions.csv\n"
      "  ggpm predict counts.ggpm examples/counts.csv --columns mean,q0.9 --quantiles 0.9\n"
      "A target column in DATA is not needed; where there is one, log_density is added.\n");
}

}  // namespace ggpm::cli
