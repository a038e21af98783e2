// ggpm score MODEL DATA: how good the predictions of known targets are.
#include <fmt/format.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/model_json.hpp"
#include "cli/model_text.hpp"
#include "ggpm/model.hpp"
#include "ggpm/row_reader.hpp"
#include "report/pit.hpp"
#include "study/score_sum.hpp"

namespace ggpm::cli {
namespace {

struct ScoreOptions {
  std::string model, data;
  MissingPolicy missing = MissingPolicy::error;
  std::int64_t seed = 1, threads = 0;
  bool json = false;
};

// P(Y <= y), at random between P(Y < y) and that where y is discrete.
void add_pit(std::vector<double>& pit,
             const Predictions& predictions,
             const Vector& y,
             Domain domain,
             std::mt19937_64& random) {
  const Vector upto = predictions.cdf(y);
  const Vector points = y.unaryExpr([&](double at) { return just_below(domain, at); });
  const Vector below = points == y ? upto : predictions.cdf(points);
  std::uniform_real_distribution<double> uniform;
  for (Index i = 0; i < y.size(); ++i)
    pit.push_back(below(i) + uniform(random) * (upto(i) - below(i)));
}

Json scores_json(const ScoreSum& scores, const report::PitSummary& pit) {
  Json coverage = Json::object();
  for (const ScoreSum::Level& of : scores.levels())
    coverage[format_number(of.level)] = of.covered.mean();
  const ScoreSum::Errors &mean = scores.errors(PointEstimate::mean),
                         &median = scores.errors(PointEstimate::median),
                         &mode = scores.errors(PointEstimate::mode);
  return {{"n", scores.count()},
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
          {"pit", pit_json(pit)}};
}

std::string scores_text(const ScoreSum& scores, const report::PitSummary& pit) {
  const auto row = [&](const char* name, PointEstimate point) {
    const ScoreSum::Errors& errors = scores.errors(point);
    return fmt::format("{:<10} {:<12.6g} {:<12.6g} {:<12.6g} {:.6g}\n",
                       name,
                       errors.absolute.mean(),
                       errors.absolute.error(),
                       errors.squared.mean(),
                       errors.squared.error());
  };
  std::string out = fmt::format("rows       {}\n\n", scores.count());
  out += "predicting MAE          std. error   MSE          std. error\n";
  out += row("mean", PointEstimate::mean) + row("median", PointEstimate::median) +
         row("mode", PointEstimate::mode);
  out += fmt::format("\nNLP        {:.6g}, standard error {:.6g} (mean negative log density)\n",
                     scores.nlp().mean(),
                     scores.nlp().error());
  std::string coverage;
  for (const ScoreSum::Level& of : scores.levels())
    coverage += fmt::format("{} {:.0f} %: {:.1f} %",
                            coverage.empty() ? "" : ",",
                            100 * of.level,
                            100 * of.covered.mean());
  return out + "coverage  " + coverage + "\nPIT        " + pit_text(pit) + "\n";
}

void score(const ScoreOptions& options) {
  const SavedModel saved = load_model(options.model);
  RowReader reader(saved, options.data, RowReader::Target::required, options.missing);
  const Domain domain = saved.model.domain();
  std::mt19937_64 random(static_cast<std::uint64_t>(options.seed));
  ScoreSum scores({0.5, 0.8, 0.95},
                  {PointEstimate::mean, PointEstimate::median, PointEstimate::mode});
  std::vector<double> values;
  while (const std::optional<Dataset> rows = reader.next()) {
    const Predictions predictions =
        saved.model.predictive(*rows, static_cast<int>(options.threads));
    scores.add(predictions, rows->observed.y);
    add_pit(values, predictions, rows->observed.y, domain, random);
  }
  if (reader.dropped() > 0)
    note(fmt::format("{}: {} of {} rows have missing cells and are left out",
                     options.data,
                     reader.dropped(),
                     reader.dropped() + static_cast<Index>(values.size())));
  const report::PitSummary pit = report::summarize_pit(
      Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
  print(options.json ? scores_json(scores, pit).dump() + "\n" : scores_text(scores, pit));
}

}  // namespace

void add_score(CLI::App& app) {
  Command command(app, "score", "How good predictions are: MAE, MSE, NLP, coverage, PIT");
  auto o = std::make_shared<ScoreOptions>();
  command.text("MODEL", o->model, "A file that ggpm fit -o saved").required();
  command.text("DATA", o->data, "CSV or TSV with inputs and target; - is standard input")
      .required();
  command.flag("--json", o->json, "The result as one JSON object");
  command.missing(o->missing);
  command.whole("--seed", o->seed, "Of the PIT of discrete targets (1)", 0, INT64_MAX);
  command.threads(o->threads);
  command.run([o] { score(*o); });
  command.examples(
      "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
      "  ggpm score counts.ggpm examples/counts.csv\n"
      "  ggpm score counts.ggpm examples/counts.csv --json\n");
}

}  // namespace ggpm::cli
