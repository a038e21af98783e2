#include "gram/dense.hpp"
#include "gram/distributed.hpp"

namespace ggpm::internal {
namespace {

constexpr double kDenseOperationsPerSecond = 1.6e10;  // of one core, at n = 3000

EngineCost local_cost(Index rows, Index inputs) {
  const auto n = static_cast<std::uint64_t>(rows), d = static_cast<std::uint64_t>(inputs);
  return {.shared_bytes = 8 * n * d,
          // K, its factor and its inverse
          .run_bytes = 8 * (3 * n * n + n * (d + 40)),
          .predict_bytes = 16 * n * n,
          .dense_rows = rows,
          .seconds = double(rows) * double(rows) * double(rows) / kDenseOperationsPerSecond,
          .largest_matrix = rows,
          .threads_inside = false};
}

EngineCost dense_cost(const EngineOptions&, Index rows, Index inputs) {
  const EngineCost local = local_cost(rows, inputs);
  return shares_dense(rows) ? distributed_cost(local) : local;
}

class DenseEngine final : public Engine {
 public:
  DenseEngine(EngineOptions options, std::shared_ptr<const Matrix> X)
      : Engine(std::move(options), std::move(X)) {}

  EngineCost cost() const override { return local_cost(size(), inputs().cols()); }
  std::unique_ptr<Gram> make_gram() const override { return std::make_unique<DenseGram>(inputs()); }
  std::unique_ptr<const Conditional> condition(const Kernel& kernel,
                                               const Posterior& posterior) const override {
    return make_dense_conditional(kernel, inputs(), posterior);
  }
  std::shared_ptr<const Engine> subset(const std::vector<Index>& rows) const override {
    return make_dense_engine(std::make_shared<const Matrix>(inputs()(rows, Eigen::all)));
  }
};

std::shared_ptr<const Engine> make_dense(const EngineOptions& options,
                                         std::shared_ptr<const Matrix> X,
                                         const Kernel&,
                                         std::uint64_t) {
  return make_dense_engine(std::move(X), options.accuracy);
}

std::shared_ptr<const Engine> restore_dense(const EngineOptions& options,
                                            std::shared_ptr<const Matrix> X,
                                            const NamedArrays& arrays) {
  if (!arrays.empty())
    throw DataError("array '" + arrays.front().name + "' does not belong to the engine 'dense'");
  return make_dense_engine(std::move(X), options.accuracy);
}

}  // namespace

std::shared_ptr<const Engine> make_dense_engine(std::shared_ptr<const Matrix> X,
                                                EngineAccuracy accuracy) {
  EngineOptions options{"dense", accuracy, 0};
  if (shares_dense(X->rows())) return make_distributed_engine(std::move(options), std::move(X));
  return std::make_shared<const DenseEngine>(std::move(options), std::move(X));
}

// Beyond, an evaluation takes seconds where that of a tree takes tenths, for a posterior mean 0.02 of
// its sd away. Points all over, as a tree has with many inputs, are less near, and worth more time.
// (docs/engines.md)
constexpr Index kMostDenseRows = 2500, kMostDenseRowsOfManyInputs = 4000;

extern const EngineType kDenseEngine{
    .name = "dense",
    .summary = "K as one matrix: exact, 24 n^2 bytes, n^3 operations an evaluation",
    .suits =
        [](const EngineOptions& options, Index rows, Index inputs) {
          return options.inducing == 0 &&
                 rows <= (inputs < kManyInputs ? kMostDenseRows : kMostDenseRowsOfManyInputs);
        },
    .cost = dense_cost,
    .make = make_dense,
    .restore = restore_dense};

}  // namespace ggpm::internal
