// Reflectance spectra of Munsell chips from their RGB values: one model for each wavelength.
//                                                                (tab:spectra, tab:ft_spectra)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learn/parallel.hpp"
#include "study/paper/reproduction.hpp"

namespace ggpm::paper {
namespace {

using enum InferenceMethod;

struct Printed {
  const char* name;
  Specification specification;
  MeanSd full[3], small[3];  // average, largest, sd of the errors of chips
};

const std::vector<Printed>& printed() {
  const auto beta = [](InferenceMethod m) {
    return Specification{.likelihood = "beta", .inference = m};
  };
  static const std::vector<Printed> all = {
      {"GP, exact",
       {.inference = exact},
       {{0.0090, 0.00032}, {0.0919, 0.0195}, {0.0102, 0.00100}},
       {{0.0132, 0.00115}, {0.0999, 0.0179}, {0.0132, 0.00221}}},
      {"arctanh + GP, exact",
       {.inference = exact, .warp = "arctanh"},
       {{0.0087, 0.00036}, {0.0946, 0.0205}, {0.0101, 0.00098}},
       {{0.0123, 0.00074}, {0.0965, 0.0186}, {0.0124, 0.00141}}},
      {"beta, taylor",
       beta(taylor),
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
  const TrainingData all = training_data(table, target, {"srgb_r", "srgb_g", "srgb_b"});
  TrainingData train{.X = all.X(split.train, Eigen::all)};
  for (const Index i : split.train) train.rows.push_back(all.rows[static_cast<std::size_t>(i)]);
  FitOptions fit{.restarts = options.restarts, .seed = options.seed, .threads = 1};
  const GeneralizedGP model = GeneralizedGP::fit(std::move(train), s, fit);
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
  if (options.interrupted && options.interrupted()) throw Interrupted("reproduce: interrupted");
  return squares.rowwise().mean().cwiseSqrt();
}

}  // namespace

Reproduction spectra(const ReproduceOptions& options) {
  const Table table = read_data(options, "munsell.csv");
  const int splits = options.splits > 0 ? options.splits : 10;
  const char* quantities[] = {"average error", "largest error", "sd of errors"};
  Reproduction out;
  for (const bool full : {false, true}) {
    if (full && !options.slow) continue;
    std::vector<Split> trials = random_splits(table.rows(), kFullTrain, splits, options.seed);
    if (!full)  // a fifth of the same training rows, the same test rows
      for (Split& split : trials) {
        const Split part = random_splits(kFullTrain, kSmallTrain, 1, options.seed)[0];
        std::vector<Index> rows;
        for (const Index i : part.train) rows.push_back(split.train[static_cast<std::size_t>(i)]);
        split.train = std::move(rows);
      }
    for (const Printed& model : printed()) {
      std::vector<double> values[3];
      for (const Split& split : trials) {
        const Vector errors = chip_errors(table, split, model.specification, options);
        values[0].push_back(errors.mean());
        values[1].push_back(errors.maxCoeff());
        values[2].push_back(mean_sd({errors.data(), static_cast<std::size_t>(errors.size())}).sd);
        options.say(fmt::format("{} rows, trial {}: {}: {:.4f}, {:.4f}, {:.4f}",
                                split.train.size(),
                                values[0].size(),
                                model.name,
                                values[0].back(),
                                values[1].back(),
                                values[2].back()));
      }
      for (std::size_t q = 0; q < 3; ++q) {
        const MeanSd& paper = full ? model.full[q] : model.small[q];
        const MeanSd ours = mean_sd(values[q]);
        out.cells.push_back(
            {"Table 9",
             fmt::format("{} rows: {}", full ? kFullTrain : kSmallTrain, model.name),
             quantities[q],
             paper.mean,
             paper.sd,
             ours.mean,
             splits > 1 ? ours.sd : kNone,
             kNone});
      }
    }
  }
  const auto average = [&](std::size_t model) { return out.cells[3 * model].ours; };
  out.claims = {{"with few training rows the beta likelihood has a smaller error than the GP",
                 average(4) < average(0),
                 fmt::format("EP {:.4f}, GP {:.4f}", average(4), average(0))},
                {"Taylor, Laplace and EP have nearly the same error",
                 std::max({average(2), average(3), average(4)}) <
                     1.05 * std::min({average(2), average(3), average(4)}),
                 fmt::format("{:.4f}, {:.4f}, {:.4f}", average(2), average(3), average(4))}};
  out.notes = {fmt::format("{} trials (the paper: 10), every 20 nm from 400 to 700 nm", splits),
               "the paper's RGB values are not published: ours are sRGB computed from the spectra "
               "under D65, "
               "so methods can be compared with each other, not digits with the paper"};
  return out;
}

}  // namespace ggpm::paper
