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
                           .trials = ours.trials});
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
  std::vector<Trial> trials = run_trials(data, started, splits, options, label);
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
// name it has with the first kernel. Both lists are in one order.
std::vector<Trial> by_evidence(const std::vector<Trial>& first, const std::vector<Trial>& second) {
  std::vector<Trial> out = first;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].failed() || (!second[i].failed() && second[i].log_marginal > out[i].log_marginal)) {
      out[i] = second[i];
      out[i].candidate = first[i].candidate;
    }
  return out;
}

// All columns of a data set; the trials of the first one, which the ranks are of.
std::vector<Trial> add_dataset(const PrintedDataset& set,
                               const ReproduceOptions& options,
                               Reproduction& out) {
  const Dataset data = training_data(read_data(options, set.file), set.target, set.inputs);
  const int count = options.splits_or(kTrials);
  const std::vector<Split> random = random_splits(data.X.rows(), set.train, count, options.seed);
  const auto run = [&](const Protocol& protocol, const std::vector<Split>& splits) {
    std::vector<Trial> trials = run_dataset(set, data, protocol, splits, options);
    add_cells(set, trials, protocol.kernel, protocol.name, out);
    for (Trial trial : trials) {
      trial.candidate = fmt::format(
          "{}{}: {}", set.name, protocol.weighted ? " by sqrt(y)" : "", trial.candidate);
      out.trials.push_back(std::move(trial));
    }
    return trials;
  };
  std::vector<Trial> rbf = run(kRbf, random);
  const std::vector<Trial> linear = run(kLinear, random);
  add_cells(set, by_evidence(rbf, linear), kRbf.kernel, kByEvidence, out);
  run(kWeighted, weighted_splits(data.observed.y, set.train, count, options.seed));
  return rbf;
}

}  // namespace

Reproduction nonnegative(const ReproduceOptions& options) {
  Reproduction out;
  const int splits = options.splits_or(kTrials);
  out.setting = fmt::format("{} splits, {} random starts", splits, options.restarts_or(kRestarts));
  std::map<std::string, std::vector<Trial>> by_set;
  for (const PrintedDataset& set : nonnegative_datasets()) {
    const bool named =
        std::find(options.only.begin(), options.only.end(), set.name) != options.only.end();
    if (options.only.empty() ? set.name == "abalone" && !options.slow : !named) continue;
    by_set[set.name] = add_dataset(set, options, out);
  }
  add_nonnegative_ranks(by_set, out);
  out.notes.emplace_back(
      "the paper's splits are not published and it names no kernel for these tables: the first two "
      "columns are random splits of the same sizes with two kernels, the third takes of both the "
      "one with the larger log marginal of the training rows, split by split");
  out.notes.emplace_back(
      "the last column is a hypothesis, not a reproduction: training rows drawn with weight sqrt(y) "
      "are richer in large outputs, which the paper's own figures for servo suggest (MSE 0.33 "
      "beside NLP 1.06 asks for a predictive variance near 0.9)");
  return out;
}

}  // namespace ggpm::paper
