// Starts from Taylor optima against random starts with the method itself: the same errors, less
// time.                                                                          (tab:comIni1)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "experiments/nonnegative_table.hpp"
#include "experiments/reproduction.hpp"
#include "ggpm/trial_file.hpp"

namespace ggpm::paper {
namespace {

using enum InferenceMethod;

struct Printed {
  const char* likelihood;
  InferenceMethod inference;
  MeanSd mae, nlp;
  MeanSd speedup;
  double mae_p, nlp_p;  // of paired t-tests
};
const Printed kTable[] = {
    {"gamma-shape", laplace, {0.000, 0.0001}, {0.000, 0.0000}, {2.97, 0.901}, 0.9987, 0.4531},
    {"gamma-scale", laplace, {-0.002, 0.0127}, {0.002, 0.0077}, {3.17, 1.109}, 0.3474, 0.2597},
    {"inverse-gaussian", laplace, {-0.000, 0.0012}, {0.001, 0.0023}, {3.44, 1.590}, 0.3296, 0.2709},
    {"gamma-shape", ep, {0.000, 0.0001}, {0.000, 0.0023}, {24.92, 7.566}, 0.1889, 0.4090},
    {"gamma-scale", ep, {-0.001, 0.0026}, {-0.001, 0.0019}, {26.86, 6.487}, 0.2056, 0.1270},
    {"inverse-gaussian", ep, {0.002, 0.0164}, {0.013, 0.0534}, {28.78, 9.861}, 0.5010, 0.2103}};
constexpr int kPaperPairs = 30;  // three data sets, ten splits
// The row "all".
const Printed kAll[] = {
    {"all", laplace, {-0.001, 0.0074}, {0.001, 0.0046}, {3.20, 1.236}, 0.3005, 0.1567},
    {"all", ep, {0.000, 0.0095}, {0.004, 0.0312}, {26.85, 8.158}, 0.6372, 0.2158}};

// Both ways on the same splits; relative changes of MAE and NLP, and how many times faster.
struct Changes {
  std::vector<double> mae, nlp, speedup, mae_taylor, mae_random, nlp_taylor, nlp_random;
  int failures = 0;
  void append(const Changes& other);
};

void Changes::append(const Changes& other) {
  const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(mae, other.mae);
  add(nlp, other.nlp);
  add(speedup, other.speedup);
  add(mae_taylor, other.mae_taylor);
  add(mae_random, other.mae_random);
  add(nlp_taylor, other.nlp_taylor);
  add(nlp_random, other.nlp_random);
  failures += other.failures;
}

// A split's trial both ways as numbers: MAE, NLP, processor seconds from Taylor's optima and from random starts;
// none where a fit failed.
std::vector<double> run_pair(const Dataset& data, Comparison study) {
  std::vector<double> out;
  for (const bool taylor_starts : {true, false}) {
    study.fit.taylor_starts = taylor_starts;
    const std::clock_t began = std::clock();
    const std::vector<Trial> trials = compare(data, study);
    if (trials.empty()) throw Interrupted("reproduce: interrupted");
    if (trials[0].failed()) return {};
    const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    out.insert(out.end(), {trials[0].scores.mae, trials[0].scores.nlp, seconds});
  }
  return out;
}

void add_pair(const std::vector<double>& pair, Changes& changes) {
  if (pair.empty()) {
    ++changes.failures;
    return;
  }
  const double *taylor = &pair[0], *random = &pair[3];
  changes.mae.push_back((taylor[0] - random[0]) / random[0]);
  changes.nlp.push_back((taylor[1] - random[1]) / std::abs(random[1]));
  changes.mae_taylor.push_back(taylor[0]);
  changes.mae_random.push_back(random[0]);
  changes.nlp_taylor.push_back(taylor[1]);
  changes.nlp_random.push_back(random[1]);
  changes.speedup.push_back(random[2] / taylor[2]);
}

void add_row(const Printed& printed, const Changes& changes, Reproduction& out) {
  if (changes.mae.empty()) return;  // no time
  const std::string row = fmt::format("{}, {}", printed.likelihood, to_string(printed.inference));
  const MeanSd mae = mean_sd(changes.mae), nlp = mean_sd(changes.nlp),
               speedup = mean_sd(changes.speedup);
  const auto add = [&](const char* what, const MeanSd& paper, const MeanSd& ours, double by) {
    out.cells.push_back({.table = "Table 5",
                         .row = row,
                         .quantity = what,
                         .paper = paper.mean,
                         .paper_sd = paper.sd,
                         .ours = ours.mean,
                         .ours_sd = ours.sd,
                         .tolerance = by,
                         .paper_trials = std::isnan(paper.sd) ? 0 : kPaperPairs,
                         .trials = static_cast<int>(changes.mae.size()),
                         .unit = 0.001});
  };
  add("change of MAE", printed.mae, mae, 2 * printed.mae.sd + 0.0005);
  add("change of NLP", printed.nlp, nlp, 2 * printed.nlp.sd + 0.0005);
  add("times faster", printed.speedup, speedup, kNone);
  if (changes.mae.size() < 2) return;
  const double mae_p = paired_t_test(changes.mae_taylor, changes.mae_random),
               nlp_p = paired_t_test(changes.nlp_taylor, changes.nlp_random);
  add("p of MAE", {printed.mae_p, kNone}, {mae_p, kNone}, kNone);
  add("p of NLP", {printed.nlp_p, kNone}, {nlp_p, kNone}, kNone);
  out.claims.push_back(
      {row + ": MAE changes by less than 0.002 of itself, and it is faster",
       std::abs(mae.mean) < 0.002 && speedup.mean > 1,
       fmt::format("{:.1e} (paired t-test p = {:.2g}), {:.1f} times faster, {} pairs, "
                   "{} failures",
                   mae.mean,
                   mae_p,
                   speedup.mean,
                   changes.mae.size(),
                   changes.failures)});
}

}  // namespace

Reproduction initialization(const ReproduceOptions& options) {
  Reproduction out;
  const int splits = options.splits_or(kTrials), restarts = options.restarts_or(kRestarts);
  out.setting = fmt::format("{} splits a data set, {} random starts", splits, restarts);
  std::vector<Changes> changes(std::size(kTable));
  for (const PrintedDataset& set : nonnegative_datasets()) {
    const bool named =
        std::find(options.only.begin(), options.only.end(), set.name) != options.only.end();
    if (options.only.empty() ? set.name == "abalone" : !named) continue;
    const Dataset data = training_data(read_data(options, set.file), set.target, set.inputs);
    const std::vector<Split> all = random_splits(data.X.rows(), set.train, splits, options.seed);
    for (std::size_t s = 0; s < all.size(); ++s)
      for (std::size_t k = 0; k < std::size(kTable); ++k) {
        Comparison study{.candidates = {{.specification = {.likelihood = kTable[k].likelihood,
                                                           .kernel = kPlainKernel,
                                                           .inference = kTable[k].inference}}},
                         .splits = {all[s]},
                         .threads = 1,
                         .interrupted = options.interrupted};
        study.fit.restarts = restarts;
        study.fit.seed = options.seed;
        const std::string key = fmt::format("{} {} {}",
                                            set.name,
                                            study_fingerprint(data, study.splits, study.fit),
                                            candidate_fingerprint(study.candidates[0]));
        const auto pair = kept_or(options, key, [&] { return run_pair(data, study); });
        if (!pair) continue;
        add_pair(*pair, changes[k]);
        if (pair->empty()) continue;
        options.say(fmt::format(
            "{}, split {}: {}, {}: {:.1f} s from Taylor starts, {:.1f} s from random ones",
            set.name,
            s + 1,
            kTable[k].likelihood,
            to_string(kTable[k].inference),
            (*pair)[2],
            (*pair)[5]));
      }
  }
  for (std::size_t k = 0; k < std::size(kTable); ++k) add_row(kTable[k], changes[k], out);
  for (const Printed& printed : kAll) {
    Changes all;
    for (std::size_t k = 0; k < std::size(kTable); ++k)
      if (kTable[k].inference == printed.inference) all.append(changes[k]);
    add_row(printed, all, out);
  }
  out.notes = {
      "times depend on the machine and on what is screened cheaply: both ways share our "
      "optimizer and warm starts, so the factor is not the paper's"};
  return out;
}

}  // namespace ggpm::paper
