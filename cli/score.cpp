// ggpm score MODEL DATA: how good the predictions of known targets are.
#include "ggpm/score.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/model_json.hpp"
#include "ggpm/classes.hpp"
#include "ggpm/row_reader.hpp"
#include "ggpm/summary.hpp"

namespace ggpm::cli {
namespace {

struct ScoreArguments {
  std::string model, data;
  FitRequest request;
  bool json = false;
};

Json scores_json(const ScoreSum& scores) {
  Json coverage = Json::object();
  for (const ScoreSum::Level& of : scores.levels())
    coverage[format_number(of.level)] = of.covered.mean();
  const ScoreSum::Errors &mean = scores.errors(PointEstimate::mean),
                         &median = scores.errors(PointEstimate::median),
                         &mode = scores.errors(PointEstimate::mode);
  Json out = {{"n", scores.count()},
              {"mae", mean.absolute.mean()},
              {"mae_standard_error", mean.absolute.error()},
              {"mae_median", median.absolute.mean()},
              {"mae_mode", mode.absolute.mean()},
              {"mse", mean.squared.mean()},
              {"mse_standard_error", mean.squared.error()},
              {"mse_median", median.squared.mean()},
              {"mse_mode", mode.squared.mean()},
              {"nlp", scores.nlp().mean()},
              {"nlp_standard_error", scores.nlp().error()},
              {"coverage", coverage},
              {"pit", pit_json(scores.pit())}};
  if (const double c = scores.c_index(); !std::isnan(c)) {
    out["c_index"] = c;
    out["censored"] = scores.censored();
  }
  return out;
}

// Of one row there is no standard error, of a student-t with few degrees of freedom no mean.
std::string figure(double value) { return std::isnan(value) ? "NA" : fmt::format("{:.6g}", value); }

std::string scores_text(const ScoreSum& scores, bool classes) {
  const auto row = [&](const char* name, PointEstimate point) {
    const ScoreSum::Errors& errors = scores.errors(point);
    return fmt::format("{:<10} {:<12} {:<12} {:<12} {}\n",
                       name,
                       figure(errors.absolute.mean()),
                       figure(errors.absolute.error()),
                       figure(errors.squared.mean()),
                       figure(errors.squared.error()));
  };
  std::string out = fmt::format("rows       {}\n\n", scores.count());
  if (classes) {
    const Average& missed = scores.errors(PointEstimate::mode).absolute;
    out += fmt::format("wrong      {}, standard error {} (share of the rows)\n",
                       figure(missed.mean()),
                       figure(missed.error()));
  } else {
    out += "predicting MAE          std. error   MSE          std. error\n";
    out += row("mean", PointEstimate::mean) + row("median", PointEstimate::median) +
           row("mode", PointEstimate::mode);
  }
  out += fmt::format("\nNLP        {}, standard error {} (mean negative log density)\n",
                     figure(scores.nlp().mean()),
                     figure(scores.nlp().error()));
  std::string coverage;
  for (const ScoreSum::Level& of : scores.levels())
    coverage += fmt::format("{} {:.0f} %: {:.1f} %",
                            coverage.empty() ? "" : ",",
                            100 * of.level,
                            100 * of.covered.mean());
  out += "coverage  " + coverage + "\nPIT        " + pit_text(scores.pit()) + "\n";
  if (const double c = scores.c_index(); !std::isnan(c))
    out += fmt::format("C-index    {:.6g}, {} rows are censored\n", c, scores.censored());
  return out;
}

void score_command(const ScoreArguments& options) {
  const SavedModel saved = load_model(options.model);
  const FitRequest& request = options.request;
  RowReader reader(saved, options.data, RowReader::Target::required, request.table.missing);
  ScoreSum scores({.seed = request.options.seed});
  while (const std::optional<Dataset> rows = reader.next())
    scores.add(saved.model.predictive(*rows, request.options.threads), rows->observed.y);
  for (const std::string& line : reader.notes()) note(line);
  if (reader.dropped() > 0)
    note(fmt::format("{}: {} of {} rows have missing cells and are left out",
                     options.data,
                     reader.dropped(),
                     reader.dropped() + scores.count()));
  const bool classes = has_several_latents(saved.model.likelihood());
  print(options.json ? scores_json(scores).dump() + "\n" : scores_text(scores, classes));
}

}  // namespace

void add_score(CLI::App& app) {
  Command command(app, "score", "How good predictions are: MAE, MSE, NLP, coverage, PIT");
  auto o = std::make_shared<ScoreArguments>();
  command.text("MODEL", o->model, "A file that ggpm fit -o saved").required();
  command.text("DATA", o->data, "CSV or TSV with inputs and target; - is standard input")
      .required();
  command.flag("--json", o->json, "The result as one JSON object");
  for (const char* name : {"missing", "seed", "threads"}) command.option(name, o->request);
  command.run([o] { score_command(*o); });
  command.examples(
      "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
      "  ggpm score counts.ggpm examples/counts.csv\n"
      "  ggpm score counts.ggpm examples/counts.csv --json\n");
}

}  // namespace ggpm::cli
