#include "gram/tree_engine.hpp"

#include <algorithm>
#include <cmath>

#include "gram/dense.hpp"
#include "gram/engine_check.hpp"
#include "gram/tree_features.hpp"
#include "gram/tree_gram.hpp"
#include "gram/tree_points.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kMostFeatures = 200;  // of one term
// Points that all rows see, by accuracy.
constexpr Index kPointsFast = 200, kPointsNormal = 400, kPointsHigh = 800;
// Of the finer engine.
constexpr Index kRowsForDense = 2500;
constexpr std::uint64_t kOtherSeed = 2;
constexpr double kOtherShare = 0.42;

constexpr double kTreeOperationsPerSecond = 1.8e9;  // of one core, as RowCost counts, at n = 50,000

// Bytes and operations of one row, counted from the sizes of the blocks; no constant was measured.
struct RowCost {
  explicit RowCost(const TreeOptions& options) {
    const auto b = double(options.leaf), r = double(options.cut);
    const double N = double(options.active + options.global), F = r > 0 ? N + r : N;
    // B, D and the factor of a leaf; L, T, G and C of a node, of which there is one a leaf
    bytes = 8 * (F + 2 * b + (r > 0 ? (F * F + N * F + r * (N + r)) / b : 0));
    operations = F * F + b * F + b * b + (r > 0 ? 2 * F * N * (F + N) / b : 0);
  }
  double bytes, operations;
};

// ... and partial sums of fronts, so many matrices for each task. Blocks are shared out among ranks, and the
// numbers of rows in inference; tables, posteriors and scores are on all.
std::uint64_t bytes_of_tree(const TreeOptions& sizes, Index rows, double sums) {
  constexpr double kMostTasks = 128;
  const auto n = double(rows), front = double(sizes.cut + sizes.active + sizes.global);
  const double tasks = std::min(kMostTasks, 1.5 * n / double(sizes.leaf));
  return static_cast<std::uint64_t>(1.05 * n * ((RowCost(sizes).bytes + 200) / rank_count() + 200) +
                                    sums * tasks * 8 * front * front);
}

EngineOptions finer_options(EngineOptions options) {
  options.accuracy = EngineAccuracy::high;
  options.inducing = std::max(options.inducing, std::min(2 * options.inducing, kPointsHigh));
  return options;
}

std::uint64_t bytes_of_finer(const EngineOptions& options, Index rows, Index inputs) {
  if (rows <= kRowsForDense) return engine_cost({.name = "dense"}, rows, inputs).run_bytes;
  return bytes_of_tree(tree_options(finer_options(options), inputs, kOtherSeed),
                       std::min(rows, kMostCheckedRows),
                       /*sums=*/1);
}

EngineCost tree_cost(const EngineOptions& options, Index rows, Index inputs) {
  const TreeOptions sizes = tree_options(options, inputs, 1);
  const RowCost row(sizes);
  const auto n = double(rows), d = double(inputs);
  EngineCost cost;
  cost.shared_bytes = static_cast<std::uint64_t>(n * (8 * (2.5 * d + 2)));
  cost.run_bytes = bytes_of_tree(sizes, rows, /*sums=*/2.3);  // two of the gradient, and the top
  cost.predict_bytes = cost.run_bytes;
  cost.check_bytes = bytes_of_finer(options, rows, inputs);
  // A dense evaluation takes n^3 operations. Assumed: a tree takes three passes, at half the speed.
  cost.dense_rows = std::max<Index>(1, static_cast<Index>(std::cbrt(6 * n * row.operations)));
  cost.dense_rows = std::min(cost.dense_rows, rows);
  cost.seconds = n * row.operations / kTreeOperationsPerSecond;
  cost.largest_matrix = std::min<Index>(rows, sizes.cut + sizes.active + sizes.global + sizes.leaf);
  // Covariances of fronts are made anew for every prediction.
  cost.predict_rows = std::clamp<Index>(rows / 4, cost.predict_rows, 65536);
  cost.threads_inside = true;
  return cost;
}

EngineOptions as_used(EngineOptions options, Index global) {
  options.name = "tree";
  options.inducing = global;
  return options;
}

std::shared_ptr<const Engine> make_tree(const EngineOptions& options,
                                        std::shared_ptr<const Matrix> X,
                                        const Kernel& start,
                                        std::uint64_t seed) {
  TreeOptions sizes = tree_options(options, X->cols(), seed);
  TreeFeatures features = find_features(start, *X, kMostFeatures);
  Kernel fading = features.fading.front();
  for (std::size_t k = 1; k < features.fading.size(); ++k) fading = fading + features.fading[k];
  Vector scale = input_scales(fading, *X);
  sizes.features = std::move(features.points);
  sizes.terms = std::move(features.terms);
  return std::make_shared<const TreeEngine>(
      as_used(options, sizes.global), std::move(X), std::move(scale), std::move(sizes));
}

std::shared_ptr<const Engine> restore_tree(const EngineOptions& options,
                                           std::shared_ptr<const Matrix> X,
                                           const NamedArrays& arrays) {
  auto structure = std::make_shared<const TreeStructure>(*X, arrays);
  return std::make_shared<const TreeEngine>(
      as_used(options, options.inducing), std::move(X), std::move(structure));
}

// Mean correlation of rows with themselves moved along input j.
double correlation(const Kernel& kernel, const Matrix& X, Index j, double step) {
  double sum = 0;
  Matrix a(1, X.cols()), b, k, kaa, kbb;
  for (Index i = 0; i < X.rows(); ++i) {
    a = X.row(i);
    b = a;
    b(0, j) += step;
    kernel.cross(a, b, k);
    kernel.cross(a, a, kaa);
    kernel.cross(b, b, kbb);
    const double scale = std::sqrt(kaa(0, 0) * kbb(0, 0));
    sum += scale > 0 ? k(0, 0) / scale : 1.0;
  }
  return sum / double(X.rows());
}

}  // namespace

TreeOptions tree_options(const EngineOptions& options, Index inputs, std::uint64_t seed) {
  TreeOptions out{.seed = seed};
  const bool fast = options.accuracy == EngineAccuracy::fast;
  const bool high = options.accuracy == EngineAccuracy::high;
  if (options.inducing > 0 || inputs >= kManyInputs) {
    out.cut = out.active = 0;
    out.global = fast ? kPointsFast : high ? kPointsHigh : kPointsNormal;
    if (options.inducing > 0) out.global = options.inducing;
  } else {
    out.cut = fast ? 32 : high ? 96 : 64;
    out.active = fast ? 64 : high ? 192 : 128;
    if (inputs == 1) out.cut = 16, out.active = 32;  // exact for Matern kernels already
    if (inputs == 3) out.cut *= 2, out.active *= 2;
  }
  const bool leaves_alone = out.cut == 0;  // no points of their own above them
  out.leaf = inputs == 1 || (fast && leaves_alone) ? 64 : 128;
  return out;
}

Vector input_scales(const Kernel& kernel, const Matrix& X) {
  constexpr Index kRows = 20;
  constexpr int kSteps = 40;
  constexpr double kSmallest = 1e-4, kLargest = 1e4;  // in standard deviations
  const Index rows = std::min(kRows, X.rows());
  Matrix some(rows, X.cols());
  for (Index i = 0; i < rows; ++i)
    some.row(i) = X.row(static_cast<Index>(mix_bits(static_cast<std::uint64_t>(i)) %
                                           static_cast<std::uint64_t>(X.rows())));
  Vector scale(X.cols());
  for (Index j = 0; j < X.cols(); ++j) {
    double unit = std::sqrt((X.col(j).array() - X.col(j).mean()).square().mean());
    if (!(unit > 0 && std::isfinite(unit))) unit = 1;
    double low = std::log(kSmallest), high = std::log(kLargest);
    for (int step = 0; step < kSteps; ++step) {
      const double middle = (low + high) / 2;
      (correlation(kernel, some, j, unit * std::exp(middle)) > 0.5 ? low : high) = middle;
    }
    scale[j] = unit * std::exp(low);
  }
  return scale;
}

TreeEngine::TreeEngine(EngineOptions options,
                       std::shared_ptr<const Matrix> X,
                       std::shared_ptr<const TreeStructure> structure)
    : Engine(std::move(options), std::move(X)),
      scale_(structure->scale),
      sizes_({.features = structure->features(), .terms = structure->terms}),
      structure_(std::move(structure)) {}

std::shared_ptr<const TreeStructure> TreeEngine::structure() const {
  const std::lock_guard lock(mutex_);
  if (structure_ == nullptr)
    structure_ = std::make_shared<const TreeStructure>(inputs(), scale_, sizes_);
  return structure_;
}

EngineCost TreeEngine::cost() const { return tree_cost(options(), size(), inputs().cols()); }

std::unique_ptr<Gram> TreeEngine::make_gram() const {
  return std::make_unique<TreeGram>(structure());
}

std::unique_ptr<const Conditional> TreeEngine::condition(const Kernel& kernel,
                                                         const Posterior& posterior) const {
  return make_tree_conditional(structure(), kernel, posterior);
}

std::shared_ptr<const Engine> TreeEngine::subset(const std::vector<Index>& rows) const {
  auto X = std::make_shared<const Matrix>(inputs()(rows, Eigen::all));
  if (X->rows() <= kFewRows) return make_dense_engine(std::move(X), options().accuracy);
  const TreeOptions sizes = tree_options(options(), X->cols(), 1);
  return alike(options(), std::move(X), sizes);
}

std::shared_ptr<const Engine> TreeEngine::alike(const EngineOptions& options,
                                                std::shared_ptr<const Matrix> X,
                                                TreeOptions sizes) const {
  sizes.features = sizes_.features;
  sizes.terms = sizes_.terms;
  return std::make_shared<const TreeEngine>(
      as_used(options, sizes.global), std::move(X), scale_, std::move(sizes));
}

EngineOptions TreeEngine::rough() const {
  EngineOptions out = options();
  out.accuracy = EngineAccuracy::fast;
  out.inducing = std::min(out.inducing, kPointsFast);
  return out;
}

// Of the tree: with more points, and with cuts elsewhere.
std::shared_ptr<const Engine> TreeEngine::finer() const {
  auto X = std::make_shared<const Matrix>(inputs());
  if (size() <= kRowsForDense) return make_dense_engine(std::move(X));
  const EngineOptions more = finer_options(options());
  TreeOptions sizes = tree_options(more, X->cols(), kOtherSeed);
  sizes.left_share = kOtherShare;
  return alike(more, std::move(X), sizes);
}

extern const EngineType kTreeEngine{
    .name = "tree",
    .summary = "a tree of inducing points with exact leaves: time and memory linear in n",
    .caution = "an approximation of the prior; the engine dense is exact, and slow",
    .suits = [](const EngineOptions&, Index, Index) { return true; },
    .cost = tree_cost,
    .make = make_tree,
    .restore = restore_tree};

}  // namespace ggpm::internal
