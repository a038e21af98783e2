// Reflectance spectra of Munsell chips from their RGB values: one model for each wavelength.
//                                                                (tab:spectra, tab:ft_spectra)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "data/hash.hpp"
#include "experiments/ranks.hpp"
#include "ggpm/trial_file.hpp"
#include "ggpm/version.hpp"
#include "learn/parallel.hpp"

namespace ggpm::paper {

using namespace internal;
namespace {

using enum InferenceMethod;

struct Printed {
  const char* name;
  Specification specification;
  MeanSd full[3], small[3];  // average, largest, sd of the errors of chips
};

const std::vector<Printed>& printed() {
  // The paper expands at logit(y), "which we used in our experiments"; near 0 and 1 its targets have
  // the wrong sign (errata 2.2), so the exact point is shown beside it.
  const auto beta = [](InferenceMethod m, ExpansionPoint point = ExpansionPoint::exact) {
    Specification out{.likelihood = "beta", .kernel = kPlainKernel, .inference = m};
    out.expansion.point = point;
    return out;
  };
  static const std::vector<Printed> all = {
      {"GP, exact",
       {.kernel = kPlainKernel, .inference = exact},
       {{0.0090, 0.00032}, {0.0919, 0.0195}, {0.0102, 0.00100}},
       {{0.0132, 0.00115}, {0.0999, 0.0179}, {0.0132, 0.00221}}},
      {"arctanh + GP, exact",
       {.kernel = kPlainKernel, .inference = exact, .warp = "arctanh"},
       {{0.0087, 0.00036}, {0.0946, 0.0205}, {0.0101, 0.00098}},
       {{0.0123, 0.00074}, {0.0965, 0.0186}, {0.0124, 0.00141}}},
      {"beta, taylor at the exact point", beta(taylor), {}, {}},
      {"beta, taylor",
       beta(taylor, ExpansionPoint::canonical),
       {{0.0088, 0.00037}, {0.0961, 0.0195}, {0.0103, 0.00098}},
       {{0.0123, 0.00080}, {0.0970, 0.0170}, {0.0124, 0.00147}}},
      {"beta, laplace",
       beta(laplace),
       {{0.0088, 0.00038}, {0.0965, 0.0199}, {0.0103, 0.00100}},
       {{0.0123, 0.00079}, {0.0973, 0.0172}, {0.0124, 0.00143}}},
      {"beta, ep",
       beta(ep),
       {{0.0087, 0.00038}, {0.0946, 0.0208}, {0.0101, 0.00100}},
       {{0.0122, 0.00077}, {0.0967, 0.0183}, {0.0124, 0.00141}}}};
  return all;
}

constexpr Index kFullTrain = 669, kSmallTrain = 134;
constexpr int kStarts = 3;  // thousands of fits of three parameters: few do

std::vector<std::string> wavelengths() {  // 400 ... 700 nm, as Heikkinen et al. (2008)
  std::vector<std::string> out;
  for (int nm = 400; nm <= 700; nm += 20) out.push_back("r" + std::to_string(nm));
  return out;
}

Vector predict(const Table& table,
               const std::string& target,
               const Split& split,
               const Specification& s,
               const ReproduceOptions& options) {
  const Dataset all = training_data(table, target, {"srgb_r", "srgb_g", "srgb_b"});
  FitOptions fit{.restarts = options.restarts_or(kStarts), .seed = options.seed, .threads = 1};
  const GeneralizedGP model = GeneralizedGP::fit(all.subset(split.train), s, fit);
  const Predictions p = model.predictive({.X = all.X(split.test, Eigen::all)}, 1);
  return s.warp.empty() ? p.mean() : p.quantile(0.5);
}

// Root mean square error over the wavelengths, for each chip of the test set.
Vector chip_errors(const Table& table,
                   const Split& split,
                   const Specification& s,
                   const ReproduceOptions& options) {
  const std::vector<std::string> targets = wavelengths();
  Matrix squares(static_cast<Index>(split.test.size()), static_cast<Index>(targets.size()));
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const BlasThreads blas(1);
  for_blocks(squares.cols(), 1, threads, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      if (options.interrupted && options.interrupted()) return;
      const std::string& target = targets[static_cast<std::size_t>(j)];
      const Vector y = numeric_column(table, target)(split.test);
      squares.col(j) = (predict(table, target, split, s, options) - y).array().square();
    }
  });
  options.throw_if_interrupted();
  return squares.rowwise().mean().cwiseSqrt();
}

// Average, largest and sd of the errors of chips.
std::vector<double> run_trial(const Table& table,
                              const Split& split,
                              const Printed& model,
                              const ReproduceOptions& options) {
  const Vector errors = chip_errors(table, split, model.specification, options);
  const double sd = mean_sd({errors.data(), static_cast<std::size_t>(errors.size())}).sd;
  options.say(fmt::format("{} rows: {}: {:.4f}, {:.4f}, {:.4f}",
                          split.train.size(),
                          model.name,
                          errors.mean(),
                          errors.maxCoeff(),
                          sd));
  return {errors.mean(), errors.maxCoeff(), sd};
}

std::string split_key(const Split& split, const ReproduceOptions& options) {
  data::Hash hash;
  for (const std::vector<Index>* rows : {&split.train, &split.test})
    for (const Index i : *rows) hash.add(i);
  hash.add(options.restarts_or(kStarts));
  hash.add(options.seed);
  hash.add(std::string(version()));
  return hash.text();
}

constexpr const char* kQuantities[] = {"average error", "largest error", "sd of errors"};

// Of each model, by its name: a value for each trial.
using Errors = std::map<std::string, std::array<std::vector<double>, 3>>;

struct PrintedTest {
  std::vector<double> ranks;  // Taylor, Laplace, EP
  double p;
  double first[3], pair_p[3];  // TA-LA, TA-EP, LA-EP: rank of the first, and p
};
const PrintedTest kFullTests[] = {
    {{2.450, 1.850, 1.700}, 0.0724, {1.750, 1.700, 1.600}, {0.0253, 0.1024, 0.4142}},
    {{1.900, 2.500, 1.600}, 0.1225, {1.300, 1.600, 1.800}, {0.2059, 0.5271, 0.0578}},
    {{2.500, 2.050, 1.450}, 0.0581, {1.700, 1.800, 1.750}, {0.2059, 0.0578, 0.0956}}};
const PrintedTest kSmallTests[] = {
    {{2.050, 2.400, 1.550}, 0.1316, {1.350, 1.700, 1.750}, {0.3173, 0.2059, 0.0588}},
    {{1.800, 2.000, 2.200}, 0.6703, {1.400, 1.400, 1.400}, {0.5271, 0.5271, 0.5271}},
    {{1.700, 2.350, 1.950}, 0.3225, {1.250, 1.450, 1.600}, {0.0956, 0.7389, 0.5271}}};

void add_inference_ranks(const Errors& errors, bool full, Reproduction& out) {
  const std::vector<std::string> names = {"TA", "LA", "EP"};
  const std::string row = fmt::format("{} rows", full ? kFullTrain : kSmallTrain);
  for (std::size_t q = 0; q < 3; ++q) {
    const std::vector<double>* columns[] = {
        &errors.at("beta, taylor")[q], &errors.at("beta, laplace")[q], &errors.at("beta, ep")[q]};
    Matrix values(static_cast<Index>(columns[0]->size()), 3);
    for (Index j = 0; j < 3; ++j)
      values.col(j) = Eigen::Map<const Vector>(columns[j]->data(), values.rows());
    const PrintedTest& printed = full ? kFullTests[q] : kSmallTests[q];
    const Friedman test = add_test(full ? "Table 11a" : "Table 11b",
                                   row,
                                   kQuantities[q],
                                   {names, printed.ranks, printed.p},
                                   values,
                                   out);
    const Index pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto first = static_cast<std::size_t>(pairs[i][0]),
                 second = static_cast<std::size_t>(pairs[i][1]);
      add_pair_test(full ? "Table 11a" : "Table 11b",
                    row,
                    kQuantities[q],
                    {{names[first], names[second]},
                     {printed.first[i], 3 - printed.first[i]},
                     printed.pair_p[i]},
                    values,
                    pairs[i][0],
                    pairs[i][1],
                    out);
    }
    out.claims.push_back({fmt::format("{}: the ranks of Taylor, Laplace and EP by {} do not differ "
                                      "significantly (p > 0.05)",
                                      row,
                                      kQuantities[q]),
                          test.p > 0.05,
                          fmt::format("p = {:.2g}, {} trials", test.p, values.rows())});
  }
}

// Of Table 10b, where there is less to learn from.
void add_claims(Reproduction& out) {
  const auto average = [&](const char* model) {
    for (const Cell& cell : out.cells)
      if (cell.row == fmt::format("{} rows: {}", kSmallTrain, model) &&
          cell.quantity == kQuantities[0])
        return cell.ours;
    return kNone;
  };
  const double gp = average("GP, exact"), taylor = average("beta, taylor"),
               laplace = average("beta, laplace"), ep = average("beta, ep");
  if (std::isnan(gp)) return;
  out.claims.insert(out.claims.begin(),
                    {{"with few training rows the beta likelihood has a smaller error than the GP",
                      ep < gp,
                      fmt::format("EP {:.4f}, GP {:.4f}", ep, gp)},
                     {"Taylor, Laplace and EP have nearly the same error",
                      std::max({taylor, laplace, ep}) < 1.05 * std::min({taylor, laplace, ep}),
                      fmt::format("{:.4f}, {:.4f}, {:.4f}", taylor, laplace, ep)}});
}

}  // namespace

Reproduction spectra(const ReproduceOptions& options) {
  const Table table = read_data(options, "munsell.csv");
  const int splits = options.splits_or(kTrials);
  Reproduction out;
  for (const bool full : {false, true}) {
    std::vector<Split> trials = random_splits(table.rows(), kFullTrain, splits, options.seed);
    if (!full)  // a fifth of the same training rows, the same test rows
      for (Split& split : trials) {
        const Split part = random_splits(kFullTrain, kSmallTrain, 1, options.seed)[0];
        std::vector<Index> rows;
        for (const Index i : part.train) rows.push_back(split.train[static_cast<std::size_t>(i)]);
        split.train = std::move(rows);
      }
    // A trial after the other, so that all models have the same ones if the time is up.
    std::map<std::string, std::vector<std::vector<double>>> rows;
    for (const Split& split : trials)
      for (const Printed& model : printed()) {
        const std::string key = fmt::format("{} {} {}",
                                            model.name,
                                            split_key(split, options),
                                            candidate_fingerprint({model.specification}));
        const auto found =
            kept_or(options, key, [&] { return run_trial(table, split, model, options); });
        if (found) rows[model.name].push_back(*found);
      }
    Errors errors_of;
    std::size_t whole = trials.size();
    for (const Printed& model : printed()) whole = std::min(whole, rows[model.name].size());
    out.setting += fmt::format("{}{} trials of {} rows",
                               out.setting.empty() ? "" : ", ",
                               whole,
                               full ? kFullTrain : kSmallTrain);
    if (whole == 0) continue;
    for (const Printed& model : printed()) {
      std::array<std::vector<double>, 3>& values = errors_of[model.name];
      for (std::size_t t = 0; t < whole; ++t)
        for (std::size_t q = 0; q < 3; ++q) values[q].push_back(rows[model.name][t][q]);
      for (std::size_t q = 0; q < 3; ++q) {
        const MeanSd& paper = full ? model.full[q] : model.small[q];
        const MeanSd ours = mean_sd(values[q]);
        out.cells.push_back(
            {.table = full ? "Table 10a" : "Table 10b",
             .row = fmt::format("{} rows: {}", full ? kFullTrain : kSmallTrain, model.name),
             .quantity = kQuantities[q],
             .paper = paper.mean,
             .paper_sd = std::isnan(paper.mean) ? kNone : paper.sd,
             .ours = ours.mean,
             .ours_sd = ours.sd,
             .paper_trials = std::isnan(paper.mean) ? 0 : kTrials,
             .trials = static_cast<int>(whole),
             .unit = 0.0001});
      }
    }
    add_inference_ranks(errors_of, full, out);
  }
  out.setting += fmt::format(", {} random starts", options.restarts_or(kStarts));
  add_claims(out);
  out.notes = {"every 20 nm from 400 to 700 nm, a model each",
               "the paper's RGB values are not published: ours are sRGB computed from the spectra "
               "under D65, so methods can be compared with each other, not digits with the paper",
               "the paper's Taylor rows expand at logit(y); at the exact point, which is the "
               "default here, Taylor is the row beside it"};
  return out;
}

}  // namespace ggpm::paper
