// Positive outputs: four data sets, three GPs, three likelihoods with four inferences, ten trials.
//                                                        (tab:abalone, tab:ft_lik, tab:ft_inf)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/nonnegative_ranks.hpp"
#include "experiments/nonnegative_table.hpp"
#include "experiments/reproduction.hpp"
#include "numeric/random.hpp"

namespace ggpm::paper {
using namespace internal;
namespace {

// How a column of the table was made. The paper names no kernel for these tables.
struct Protocol {
  std::string name, kernel;
  bool weighted = false;  // training rows drawn with weight sqrt(y)
};
const Protocol kRbf{"rbf", "rbf"}, kLinear{"linear + constant + rbf", "linear + constant + rbf"},
    kWeighted{"hypothesis: rows by sqrt(y), linear + constant + rbf", kLinear.kernel, true};
constexpr Index kLarge = 1000;   // training rows: abalone
constexpr int kLargeStarts = 2;  // there, to save time
constexpr const char* kByEvidence = "kernel by evidence";

// Taylor expands at the exact point: at the one that the paper prints for gamma-scale
// small outputs get targets of the wrong sign, and servo has no finite predictions.
// A prediction of transformed outputs is the median, the mean transformed back.
Candidate candidate(const PrintedModel& model, const std::string& kernel) {
  return {.specification = {.likelihood = model.likelihood,
                            .kernel = kernel,
                            .inference = model.inference,
                            .warp = model.warp},
          .point = model.warp.empty() ? PointEstimate::mean : PointEstimate::median};
}

std::string row_name(const PrintedDataset& set, const PrintedModel& model) {
  return fmt::format("{}: {}, {}", set.name, model.abbreviation, to_string(model.inference));
}

void add_cells(const PrintedDataset& set,
               const std::vector<Trial>& trials,
               const std::string& kernel,
               const std::string& column,
               Reproduction& out) {
  for (const PrintedRow& row : set.rows) {
    const Means ours = means_of(trials, candidate(row.model, kernel).name());
    const std::string name = row_name(set, row.model);
    if (!ours.failure.empty())
      out.notes.push_back(fmt::format("{} ({}): a fit failed: {}", name, column, ours.failure));
    if (ours.trials == 0) continue;
    const auto add = [&](const char* quantity, const MeanSd& paper, const MeanSd& mean) {
      out.cells.push_back({.table = "Table 7",
                           .row = name,
                           .quantity = quantity,
                           .paper = paper.mean,
                           .paper_sd = paper.sd,
                           .ours = mean.mean,
                           .ours_sd = mean.sd,
                           .tolerance = 2 * paper.sd + 0.005,  // half a printed digit
                           .column = column,
                           .paper_trials = kTrials,
                           .trials = ours.trials,
                           .unit = 0.01});
    };
    add("MAE", row.mae, ours.mae);
    add("MSE", row.mse, ours.mse);
    add("NLP", row.nlp, ours.nlp);
  }
}

// The warped GP is climbed from its given values only: of random starts the best have steps of
// infinite slope at outputs that occur twice, and no density for others.
std::vector<Trial> run_dataset(const PrintedDataset& set,
                               const Dataset& data,
                               const Protocol& protocol,
                               const std::vector<Split>& splits,
                               const ReproduceOptions& options) {
  std::vector<Candidate> started, given;
  for (const PrintedRow& row : set.rows)
    (row.model.abbreviation == "WGP" ? given : started)
        .push_back(candidate(row.model, protocol.kernel));
  const std::string label = set.name + ", " + protocol.name;
  ReproduceOptions starts = options;
  if (set.train >= kLarge) starts.restarts = std::min(options.restarts_or(kRestarts), kLargeStarts);
  std::vector<Trial> trials = run_trials(data, started, splits, starts, label);
  ReproduceOptions without_starts = options;
  without_starts.restarts = 0;
  for (Trial& trial : run_trials(data, given, splits, without_starts, label))
    trials.push_back(std::move(trial));
  return trials;
}

// Training rows without replacement, each drawn with a chance in proportion to sqrt(y): the rows of
// the smallest u^(1/w), u uniform. (Efraimidis and Spirakis 2006)
std::vector<Split> weighted_splits(const Vector& y, Index train, int count, std::uint64_t seed) {
  std::vector<Split> out(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < out.size(); ++k) {
    std::mt19937_64 random = numeric::random_stream(seed, k);
    std::vector<std::pair<double, Index>> keys;
    for (Index i = 0; i < y.size(); ++i)
      keys.emplace_back(-std::log(numeric::uniform(random)) / std::sqrt(y[i]), i);
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i)
      (static_cast<Index>(i) < train ? out[k].train : out[k].test).push_back(keys[i].second);
    std::sort(out[k].train.begin(), out[k].train.end());
    std::sort(out[k].test.begin(), out[k].test.end());
  }
  return out;
}

// Of each split and model the kernel with the larger log marginal of the training rows, under the
// name it has with the first kernel; where only one has been run, nothing.
std::vector<Trial> by_evidence(const PrintedDataset& set,
                               const std::vector<Trial>& first,
                               const std::vector<Trial>& second) {
  std::map<std::pair<std::string, Index>, const Trial*> of_second;
  for (const Trial& trial : second) of_second[{trial.candidate, trial.split}] = &trial;
  std::map<std::string, std::string> other_name;
  for (const PrintedRow& row : set.rows)
    other_name[candidate(row.model, kRbf.kernel).name()] =
        candidate(row.model, kLinear.kernel).name();
  std::vector<Trial> out;
  for (const Trial& trial : first) {
    const auto other = of_second.find({other_name.at(trial.candidate), trial.split});
    if (other == of_second.end()) continue;
    const Trial& b = *other->second;
    const bool better = trial.failed() || (!b.failed() && b.log_marginal > trial.log_marginal);
    out.push_back(better ? b : trial);
    out.back().candidate = trial.candidate;
  }
  return out;
}

// The trials of a data set by the names of the columns that they are of.
using Columns = std::map<std::string, std::vector<Trial>>;

// A split after the other, so that all columns have the same ones if the time is up.
Columns run_columns(const PrintedDataset& set, const ReproduceOptions& options) {
  const Dataset data = training_data(read_data(options, set.file), set.target, set.inputs);
  const int count = options.splits_or(kTrials);
  const std::vector<Split> random = random_splits(data.X.rows(), set.train, count, options.seed),
                           weighted =
                               weighted_splits(data.observed.y, set.train, count, options.seed);
  Columns out;
  for (int k = 1; k <= count && !options.late(); ++k)
    for (const Protocol* protocol : {&kRbf, &kLinear, &kWeighted}) {
      const std::vector<Split>& all = protocol->weighted ? weighted : random;
      out[protocol->name] =
          run_dataset(set, data, *protocol, {all.begin(), all.begin() + k}, options);
    }
  out[kByEvidence] = by_evidence(set, out[kRbf.name], out[kLinear.name]);
  return out;
}

void add_trials(const PrintedDataset& set,
                const std::string& column,
                const std::vector<Trial>& trials,
                Reproduction& out) {
  for (Trial trial : trials) {
    trial.candidate = fmt::format(
        "{}{}: {}", set.name, column == kWeighted.name ? " by sqrt(y)" : "", trial.candidate);
    out.trials.push_back(std::move(trial));
  }
}

// How many figures of a data set lie within two standard errors, without and with the weights: "servo 12 and 35 of 45".
std::string near_by_set(const PrintedDataset& set, const std::vector<Cell>& cells) {
  int count = 0, plain = 0, weighted = 0;
  for (const Cell& cell : cells) {
    if (!cell.row.starts_with(set.name + ":")) continue;
    const bool near = std::abs(cell.standard_errors()) < 2;
    count += cell.column == kLinear.name;
    plain += cell.column == kLinear.name && near;
    weighted += cell.column == kWeighted.name && near;
  }
  return count == 0 ? "" : fmt::format("{} {} and {} of {}", set.name, plain, weighted, count);
}

void add_hypothesis_note(Reproduction& out) {
  std::string by_set;
  for (const PrintedDataset& set : nonnegative_datasets())
    if (const std::string text = near_by_set(set, out.cells); !text.empty())
      by_set += (by_set.empty() ? "" : ", ") + text;
  out.notes.push_back(fmt::format(
      "how far to believe it: with the same kernel, figures within two standard errors without and with the weights are {}. The "
      "weights were thought of with servo and housing in view, so those do not test them; and large outputs that are drawn for "
      "training are missing among the test rows, where errors then fall by themselves",
      by_set));
}

}  // namespace

Reproduction nonnegative(const ReproduceOptions& options) {
  Reproduction out;
  const int splits = options.splits_or(kTrials);
  const int starts = options.restarts_or(kRestarts);
  out.setting =
      fmt::format("{} splits, {} random starts{}",
                  splits,
                  starts,
                  starts > kLargeStarts ? fmt::format(" ({} for abalone)", kLargeStarts) : "");
  std::map<std::string, Columns> by_set;
  for (const PrintedDataset& set : nonnegative_datasets())
    if (wanted(options, set.name)) by_set[set.name] = run_columns(set, options);
  for (const auto& [column, kernel] : {std::pair{kRbf.name, kRbf.kernel},
                                       {kLinear.name, kLinear.kernel},
                                       {kByEvidence, kRbf.kernel},
                                       {kWeighted.name, kWeighted.kernel}}) {
    std::map<std::string, std::vector<Trial>> of_column;
    for (const PrintedDataset& set : nonnegative_datasets()) {
      if (!by_set.contains(set.name)) continue;
      const std::vector<Trial>& trials = by_set[set.name][column];
      add_cells(set, trials, kernel, column, out);
      of_column[set.name] = trials;
      if (column != kByEvidence) add_trials(set, column, trials, out);
    }
    if (column == kRbf.name || column == kLinear.name)
      add_nonnegative_ranks(of_column, kernel, column, out);
  }
  out.notes.emplace_back(
      "the paper's splits are not published and it names no kernel for these tables: the first two "
      "columns are random splits of the same sizes with two kernels, the third takes of both the "
      "one with the larger log marginal of the training rows, split by split");
  out.notes.emplace_back(
      "the last column is a hypothesis, not a reproduction: training rows drawn with weight sqrt(y) "
      "are richer in large outputs, which the paper's own figures for servo suggest (MSE 0.33 "
      "beside NLP 1.06 asks for a predictive variance near 0.9)");
  add_hypothesis_note(out);
  out.notes.emplace_back(
      "the warped GP (WGP) is climbed from its given values only: of random starts the best have steps of infinite slope at "
      "outputs that occur twice, and no density for others");
  return out;
}

}  // namespace ggpm::paper
