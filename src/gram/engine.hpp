// An engine: what the runs of a fit and the fitted model share of the prior over the latents.
//
// It is made once, owns what must not change between evaluations (places of inducing points, a
// tree over the rows), and makes everything else. Immutable, so that threads share it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "data/named_array.hpp"
#include "ggpm/engine.hpp"
#include "gram/gram.hpp"

namespace ggpm::internal {

// From so many on, few rows lie near a cut: a tree has points all over, and dense matrices pay longer.
inline constexpr Index kManyInputs = 4;

// An engine made for many rows hands so few to a dense K, which is faster there.
inline constexpr Index kFewRows = 1000;

// What an engine takes, known before it is made. What is affordable is asked of it, never computed
// from the number of rows.
struct EngineCost {
  std::uint64_t shared_bytes = 0;   // of the engine
  std::uint64_t run_bytes = 0;      // of each run that goes on at the same time
  std::uint64_t predict_bytes = 0;  // of Engine::condition, while it is being made
  std::uint64_t check_bytes = 0;    // of the check of a fit, beside what is kept for prediction
  // An evaluation takes the time that it takes with a dense K of so many rows.
  Index dense_rows = 0;
  double seconds = 0;  // of an evaluation on one core, measured on one of 2.8 GHz
  // Rows of the largest that is factored: BLAS threads pay from some size on.
  Index largest_matrix = 0;
  // So many rows are best predicted at once: what a prediction costs besides its rows is then little.
  Index predict_rows = 1024;
  // An evaluation shares its own work among threads: runs go one after another, not side by side.
  bool threads_inside = false;

  std::uint64_t bytes(int runs) const {
    return shared_bytes + static_cast<std::uint64_t>(runs) * run_bytes;
  }
  std::uint64_t bytes_of_fit(int runs) const {
    if (check_bytes == 0) return bytes(runs);
    return std::max(bytes(runs), shared_bytes + predict_bytes + check_bytes);
  }
  // Of `runs`, so many at the same time where there are `threads`.
  int side_by_side(int runs, int threads) const {
    return threads_inside ? 1 : std::max(1, std::min(runs, threads));
  }
};

class Engine {
 public:
  Engine(EngineOptions options, std::shared_ptr<const Matrix> X)
      : options_(std::move(options)), X_(std::move(X)) {}
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const EngineOptions& options() const { return options_; }  // name and inducing as used
  const Matrix& inputs() const { return *X_; }               // (n, d)
  Index size() const { return X_->rows(); }

  virtual EngineCost cost() const = 0;
  virtual std::unique_ptr<Gram> make_gram() const = 0;
  // Prediction from what a model file holds. NumericalError if the sites leave an improper Gaussian
  // under this kernel.
  virtual std::unique_ptr<const Conditional> condition(const Kernel& kernel,
                                                       const Posterior& posterior) const = 0;
  // For some rows, as learning wants for its starts: of the same kind, or whichever is better for
  // so few.
  virtual std::shared_ptr<const Engine> subset(const std::vector<Index>& rows) const = 0;
  // What an engine is made with that learning begins with: as quick as one of this kind can be.
  virtual EngineOptions rough() const { return options_; }
  // Nearer to the kernel's own prior, and with its approximations elsewhere, for the same rows; null
  // where this one is exact.
  virtual std::shared_ptr<const Engine> finer() const { return nullptr; }
  // What make cannot find again by itself, for the model file; see EngineType::restore.
  virtual NamedArrays arrays() const { return {}; }

 private:
  EngineOptions options_;
  std::shared_ptr<const Matrix> X_;
};

// An entry of the list in engines.cpp: an engine is its files and one line there.
struct EngineType {
  std::string_view name, summary;
  std::string_view caution;  // what a person should know where auto takes it; empty: nothing
  // auto takes the first that does
  bool (*suits)(const EngineOptions& options, Index rows, Index inputs);
  EngineCost (*cost)(const EngineOptions& options, Index rows, Index inputs);
  std::shared_ptr<const Engine> (*make)(const EngineOptions& options,
                                        std::shared_ptr<const Matrix> X,
                                        const Kernel& start,
                                        std::uint64_t seed);
  // The engine that gave these arrays for these inputs. They come from a file: every name, shape
  // and number is checked, and DataError says what is wrong.
  std::shared_ptr<const Engine> (*restore)(const EngineOptions& options,
                                           std::shared_ptr<const Matrix> X,
                                           const NamedArrays& arrays);
};

extern const EngineType kDenseEngine;  // the exact one

// What make_engine would make, and take, without making it.
EngineCost engine_cost(const EngineOptions& options, Index rows, Index inputs);

std::shared_ptr<const Engine> restore_engine(const EngineOptions& options,
                                             std::shared_ptr<const Matrix> X,
                                             const NamedArrays& arrays);

}  // namespace ggpm::internal
