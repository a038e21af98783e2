// ggpm score MODEL DATA: how good the predictions of known targets are.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/model_json.hpp"
#include "cli/model_text.hpp"
#include "cli/new_rows.hpp"
#include "ggpm/model.hpp"
#include "report/pit.hpp"

namespace ggpm::cli {
namespace {

constexpr std::array<double, 3> kLevels = {0.5, 0.8, 0.95};

struct ScoreOptions {
  std::string model, data;
  std::int64_t seed = 1, threads = 0;
  bool json = false;
};

// A mean over rows, with its standard error.
struct Average {
  double sum = 0, squares = 0;
  Index count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
  double error() const {
    const auto n = static_cast<double>(count);
    if (count < 2) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(std::max(squares / n - mean() * mean(), 0.0) / (n - 1));
  }
};

struct Errors {
  Average absolute, squared;
  void add(double error) {
    absolute.add(std::abs(error));
    squared.add(error * error);
  }
};

struct Scores {
  Errors of_mean, of_median, of_mode;
  Average nlp;
  std::array<Index, kLevels.size()> covered{};
  std::vector<double> pit;
};

// y is in the central interval iff cdf(y) >= (1 - level)/2 and P(Y < y) <= (1 + level)/2.
void add_block(Scores& scores,
               const Predictions& predictions,
               const Vector& y,
               bool discrete,
               std::mt19937_64& random) {
  const Vector mean = predictions.mean(), median = predictions.quantile(0.5),
               mode = predictions.mode(), density = predictions.log_density(y),
               upto = predictions.cdf(y);
  const Vector below = discrete ? predictions.cdf(y.array() - 1) : upto;
  std::uniform_real_distribution<double> uniform;
  for (Index i = 0; i < y.size(); ++i) {
    scores.of_mean.add(y(i) - mean(i));
    scores.of_median.add(y(i) - median(i));
    scores.of_mode.add(y(i) - mode(i));
    scores.nlp.add(-density(i));
    for (std::size_t k = 0; k < kLevels.size(); ++k)
      scores.covered[k] +=
          upto(i) >= (1 - kLevels[k]) / 2 && below(i) <= (1 + kLevels[k]) / 2 ? 1 : 0;
    scores.pit.push_back(below(i) + uniform(random) * (upto(i) - below(i)));
  }
}

Json scores_json(const Scores& scores, const report::PitSummary& pit) {
  const auto n = static_cast<double>(scores.nlp.count);
  Json coverage = Json::object();
  for (std::size_t k = 0; k < kLevels.size(); ++k)
    coverage[format_number(kLevels[k])] = static_cast<double>(scores.covered[k]) / n;
  return {{"n", scores.nlp.count},
          {"mae", scores.of_mean.absolute.mean()},
          {"mae_standard_error", scores.of_mean.absolute.error()},
          {"mae_median", scores.of_median.absolute.mean()},
          {"mae_mode", scores.of_mode.absolute.mean()},
          {"mse", scores.of_mean.squared.mean()},
          {"mse_standard_error", scores.of_mean.squared.error()},
          {"mse_median", scores.of_median.squared.mean()},
          {"mse_mode", scores.of_mode.squared.mean()},
          {"nlp", scores.nlp.mean()},
          {"nlp_standard_error", scores.nlp.error()},
          {"coverage", coverage},
          {"pit", pit_json(pit)}};
}

std::string scores_text(const Scores& scores, const report::PitSummary& pit) {
  const auto row = [](const char* name, const Errors& errors) {
    return fmt::format("{:<10} {:<12.6g} {:<12.6g} {:<12.6g} {:.6g}\n",
                       name,
                       errors.absolute.mean(),
                       errors.absolute.error(),
                       errors.squared.mean(),
                       errors.squared.error());
  };
  std::string out = fmt::format("rows       {}\n\n", scores.nlp.count);
  out += "predicting MAE          std. error   MSE          std. error\n";
  out +=
      row("mean", scores.of_mean) + row("median", scores.of_median) + row("mode", scores.of_mode);
  out += fmt::format("\nNLP        {:.6g}, standard error {:.6g} (mean negative log density)\n",
                     scores.nlp.mean(),
                     scores.nlp.error());
  out += "coverage  ";
  for (std::size_t k = 0; k < kLevels.size(); ++k)
    out += fmt::format(
        " {:.0f} %: {:.1f} %{}",
        100 * kLevels[k],
        100 * static_cast<double>(scores.covered[k]) / static_cast<double>(scores.nlp.count),
        k + 1 < kLevels.size() ? "," : "\n");
  return out + "PIT        " + pit_text(pit) + "\n";
}

void score(const ScoreOptions& options) {
  const SavedModel saved = load_model(options.model);
  BlockReader reader(saved, options.data, BlockReader::Target::required);
  const bool discrete = report::is_discrete(saved.model.domain());
  std::mt19937_64 random(static_cast<std::uint64_t>(options.seed));
  Scores scores;
  while (const std::optional<Block> block = reader.next())
    add_block(scores,
              saved.model.predictive(block->rows, static_cast<int>(options.threads)),
              block->y,
              discrete,
              random);
  const report::PitSummary pit = report::summarise_pit(
      Eigen::Map<const Vector>(scores.pit.data(), static_cast<Index>(scores.pit.size())));
  print(options.json ? scores_json(scores, pit).dump() + "\n" : scores_text(scores, pit));
}

}  // namespace

void add_score(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("score", "How good predictions are: MAE, MSE, NLP, coverage, PIT");
  auto o = std::make_shared<ScoreOptions>();
  command->add_option("MODEL", o->model, "A file that ggpm fit -o saved")->required();
  command->add_option("DATA", o->data, "CSV or TSV with inputs and target; - is standard input")
      ->required();
  command->add_flag("--json", o->json, "The result as one JSON object");
  add_whole(command, "--seed", o->seed, "Of the PIT of discrete targets (1)", 0, INT64_MAX);
  add_whole(command, "--threads", o->threads, "(0: as many as there are cores)", 0, 1024);
  command->callback([o] { score(*o); });
  add_examples(*command,
               "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
               "  ggpm score counts.ggpm examples/counts.csv\n"
               "  ggpm score counts.ggpm examples/counts.csv --json\n");
}

}  // namespace ggpm::cli
