// Counting people: 800 frames to train with, 1200 to test.                    (tab:crowds)
#include <fmt/format.h>

#include <algorithm>

#include "study/paper/reproduction.hpp"

namespace ggpm::paper {
namespace {

struct Printed {
  const char* likelihood;
  InferenceMethod inference;
  double mae, nlp;
};

using enum InferenceMethod;
constexpr Printed kLeftCrowd[] = {{"gaussian", exact, 0.85, 1.83},
                                  {"poisson", taylor, 1.03, 2.20},
                                  {"poisson", laplace, 1.03, 2.20},
                                  {"poisson", ep, 1.03, 2.20},
                                  {"linear-poisson", taylor, 0.88, 2.18},
                                  {"linear-poisson", laplace, 0.87, 2.18},
                                  {"linear-poisson", ep, 0.87, 2.18},
                                  {"com-poisson", taylor, 0.94, 1.76},
                                  {"com-poisson", laplace, 0.94, 1.77},
                                  {"com-poisson", ep, 0.94, 1.76},
                                  {"linear-com-poisson", taylor, 0.91, 1.63},
                                  {"linear-com-poisson", laplace, 0.85, 1.52},
                                  {"linear-com-poisson", ep, 0.83, 1.55}};

// Linear plus RBF as in Chan et al. (2008): the linear kernel is x'z + 1, with an intercept.
constexpr const char* kKernel = "poly(offset=fixed(1), degree=1) + rbf";

// Predictions are modes, and the rounded mean for the standard GP; the expansion point of Taylor is
// the printed one.
Candidate candidate(const Printed& printed) {
  Candidate out{.specification = {.likelihood = printed.likelihood,
                                  .kernel = kKernel,
                                  .inference = printed.inference}};
  out.specification.expansion.point = ExpansionPoint::canonical;
  out.point = printed.inference == exact ? PointEstimate::rounded_mean : PointEstimate::mode;
  return out;
}

Split given_split(const Table& table) {
  Split out;
  const Vector train = numeric_column(table, "train");
  for (Index i = 0; i < train.size(); ++i) (train[i] == 1 ? out.train : out.test).push_back(i);
  return out;
}

Claim best_is_linear_com_poisson(const std::vector<Cell>& cells, const char* quantity) {
  const Cell* best = nullptr;
  for (const Cell& cell : cells)
    if (cell.quantity == quantity && (best == nullptr || cell.ours < best->ours)) best = &cell;
  return {fmt::format("the linearised COM-Poisson has the best {}", quantity),
          best->row.starts_with("linear-com-poisson"),
          fmt::format("best: {} with {:.3f}", best->row, best->ours)};
}

}  // namespace

Reproduction crowd(const ReproduceOptions& options) {
  const Table table = read_data(options, "ucsd_left.csv");
  std::vector<std::string> features;
  for (int i = 1; i <= 30; ++i) features.push_back("f" + std::to_string(i));
  const TrainingData data = training_data(table, "count", features);
  std::vector<Candidate> candidates;
  for (const Printed& printed : kLeftCrowd)
    if (options.only.empty() ||
        std::find(options.only.begin(), options.only.end(), printed.likelihood) !=
            options.only.end())
      candidates.push_back(candidate(printed));
  Reproduction out;
  out.trials = run_trials(data, candidates, {given_split(table)}, options, "left crowd");
  for (const Printed& printed : kLeftCrowd) {
    const Means ours = means_of(out.trials, candidate(printed).name());
    const std::string row = fmt::format("{}, {}", printed.likelihood, to_string(printed.inference));
    if (!ours.failure.empty()) out.notes.push_back(row + " failed: " + ours.failure);
    if (ours.trials == 0) continue;
    out.cells.push_back({.table = "Table 11",
                         .row = row,
                         .quantity = "MAE",
                         .paper = printed.mae,
                         .ours = ours.mae.mean,
                         .tolerance = 0.05});
    out.cells.push_back({.table = "Table 11",
                         .row = row,
                         .quantity = "NLP",
                         .paper = printed.nlp,
                         .ours = ours.nlp.mean,
                         .tolerance = 0.1});
    out.notes.push_back(fmt::format(
        "{}: log marginal {:.2f}, {:.0f} s", row, ours.log_marginal.mean, ours.seconds.mean));
  }
  if (!out.cells.empty())
    out.claims = {best_is_linear_com_poisson(out.cells, "NLP"),
                  best_is_linear_com_poisson(out.cells, "MAE")};
  out.notes.push_back("the right crowd (Table 11) is not public and is not run");
  return out;
}

}  // namespace ggpm::paper
