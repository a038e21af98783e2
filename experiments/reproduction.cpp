#include "experiments/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>

#include "ggpm/trial_file.hpp"

namespace ggpm::paper {

namespace {

// Where a person finds a data set; every file is a CSV with a header.
std::string source_of(const std::string& file) {
  static const std::map<std::string, std::string> sources = {
      {"tokyo_rainfall.csv", "Kitagawa (1987); data set Tokyo of the R package INLA"},
      {"servo.csv", "UCI Machine Learning Repository, Servo"},
      {"auto_mpg.csv", "UCI Machine Learning Repository, Auto MPG"},
      {"housing.csv", "StatLib; BostonHousing of the R package mlbench"},
      {"abalone.csv", "UCI Machine Learning Repository, Abalone"},
      {"munsell.csv", "University of Eastern Finland, spectral database, Munsell colors matt"},
      {"ucsd_left.csv", "UCSD pedestrian features of Chan, Liang and Vasconcelos (2008)"},
      {"fgnet_age.csv", "FG-NET ageing database, Lanitis et al. (2002)"}};
  const auto found = sources.find(file);
  return found == sources.end() ? "its authors" : found->second;
}

}  // namespace

const std::vector<ExperimentInfo>& experiments() {
  static const std::vector<ExperimentInfo> all = {
      {"links", "Figures 1-2: counts with a linear trend, four likelihoods", {}, links},
      {"functions", "Figure 3: log-partition, parameter and link functions", {}, functions},
      {"ordering", "Claim 1, Figures 4-5: Taylor < Laplace < EP", {}, ordering},
      {"examples-1d", "Table 4, Figure 6: when Taylor or EP predicts best", {}, examples_1d},
      {"rainfall",
       "Figures 7-10: two readings of the Tokyo rainfall",
       {"tokyo_rainfall.csv"},
       rainfall},
      {"initialization",
       "Table 5: Taylor starts against random starts",
       {"servo.csv", "auto_mpg.csv", "housing.csv"},
       initialization},
      {"nonnegative",
       "Tables 7-9: positive outputs",
       {"servo.csv", "auto_mpg.csv", "housing.csv", "abalone.csv"},
       nonnegative},
      {"spectra", "Tables 10-11: reflectance spectra of Munsell chips", {"munsell.csv"}, spectra},
      {"crowd",
       "Tables 12-14: counting people",
       {"ucsd_left.csv", "ucsd_right.csv (if it is there)"},
       crowd},
      {"age", "Tables 15-16: the age of a face", {"fgnet_age.csv"}, age}};
  return all;
}

Reproduction reproduce(std::string_view name, const ReproduceOptions& options) {
  std::string names;
  for (const ExperimentInfo& info : experiments()) {
    if (info.name == name) {
      ReproduceOptions own = options;
      own.kept =
          options.kept_in.empty()
              ? std::make_shared<Kept>()
              : std::make_shared<Kept>(
                    (std::filesystem::path(options.kept_in) / (info.name + ".kept")).string());
      const std::clock_t processor = std::clock();
      Reproduction out = info.run(own);
      out.processor_seconds =
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC + own.kept->spent_before();
      out.cut_short = out.cut_short || options.late();
      out.setting += fmt::format("{}seed {}", out.setting.empty() ? "" : ", ", options.seed);
      out.name = info.name;
      out.title = info.title;
      return out;
    }
    names += (names.empty() ? "" : ", ") + info.name;
  }
  throw UsageError(
      fmt::format("reproduce: there is no experiment '{}'; there are: {}", name, names));
}

Table read_data(const ReproduceOptions& options, const std::string& file) {
  const std::filesystem::path path = std::filesystem::path(options.data_directory) / file;
  if (options.data_directory.empty() || !std::filesystem::exists(path))
    throw DataError(
        fmt::format("{}: not found{}; name its folder by --data or GGPM_DATA_DIR; source: {}",
                    file,
                    options.data_directory.empty() ? "" : " in " + options.data_directory,
                    source_of(file)));
  return read_csv(path.string());
}

Dataset training_data(const Table& table,
                      const std::string& target,
                      const std::vector<std::string>& inputs,
                      bool standardize) {
  const Design design = Design::learn(
      table,
      {.inputs = inputs, .exclude = {target}, .standardize = standardize, .new_levels = false});
  return {.X = design.apply(table),
          .observed = {.y = numeric_column(table, target)},
          .columns = design.names()};
}

std::vector<Trial> run_trials(const Dataset& data,
                              std::vector<Candidate> candidates,
                              std::vector<Split> splits,
                              const ReproduceOptions& options,
                              const std::string& label,
                              bool learn) {
  Comparison study{
      .candidates = std::move(candidates), .splits = std::move(splits), .threads = options.threads};
  study.fit.restarts = options.restarts_or(kRestarts);
  study.fit.seed = options.seed;
  study.fit.optimize = learn;
  const std::size_t total = study.candidates.size() * study.splits.size();
  std::map<std::pair<std::string, Index>, std::string> keys;
  for (std::size_t k = 0; k < study.splits.size(); ++k) {
    const std::string study_key = study_fingerprint(data, {&study.splits[k], 1}, study.fit);
    for (const Candidate& candidate : study.candidates) {
      const auto split = static_cast<Index>(k);
      std::string& key = keys[{candidate.name(), split}];
      key = fmt::format("{} {} {}", label, study_key, candidate_fingerprint(candidate));
      if (const auto piece = options.kept->find(key))
        study.done.push_back(trial_of(*piece, candidate.name(), split));
    }
  }
  std::size_t count = study.done.size();
  options.kept->reset_clock();
  study.on_trial = [&](const Trial& t) {
    options.kept->add(keys.at({t.candidate, t.split}), piece_of(t));
    options.say(fmt::format(
        "{} [{}/{}] split {}: {}: {}",
        label,
        ++count,
        total,
        t.split + 1,
        t.candidate,
        t.failed()
            ? "failed: " + t.failure
            : fmt::format(
                  "MAE {:.4f}, NLP {:.4f}, {:.1f} s", t.scores.mae, t.scores.nlp, t.seconds)));
  };
  study.interrupted = [&] { return options.stops(); };
  if (count == total || options.stops()) {
    options.throw_if_interrupted();
    return study.done;
  }
  std::vector<Trial> trials = compare(data, study);
  options.throw_if_interrupted();
  return trials;
}

std::optional<std::vector<double>> kept_or(const ReproduceOptions& options,
                                           const std::string& key,
                                           const std::function<std::vector<double>()>& compute) {
  options.throw_if_interrupted();
  if (const auto piece = options.kept->find(key)) return piece->values;
  if (options.late()) return {};
  options.kept->reset_clock();
  std::vector<double> values = compute();
  options.kept->add(key, {.values = values, .text = {}});
  return values;
}

bool wanted(const ReproduceOptions& options, const std::string& name) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

Means means_of(const std::vector<Trial>& trials, const std::string& candidate) {
  std::vector<double> mae, mode_mae, mse, nlp, log_marginal, seconds;
  Means out;
  for (const Trial& t : trials) {
    if (t.candidate != candidate) continue;
    if (t.failed()) {
      if (out.failure.empty()) out.failure = t.failure;
      continue;
    }
    mae.push_back(t.scores.mae);
    mode_mae.push_back(t.scores.of[static_cast<std::size_t>(PointEstimate::mode)].mae);
    mse.push_back(t.scores.mse);
    nlp.push_back(t.scores.nlp);
    log_marginal.push_back(t.log_marginal);
    seconds.push_back(t.seconds);
  }
  out.trials = static_cast<int>(mae.size());
  out.mae = mean_sd(mae);
  out.mode_mae = mean_sd(mode_mae);
  out.mse = mean_sd(mse);
  out.nlp = mean_sd(nlp);
  out.log_marginal = mean_sd(log_marginal);
  out.seconds = mean_sd(seconds);
  return out;
}

}  // namespace ggpm::paper
