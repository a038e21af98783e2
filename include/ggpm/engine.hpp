// Engines: how the prior over the latents is held in memory and conditioned on sites.
//
//   dense   K as one n x n matrix: exact; 24 n^2 bytes, and n^3 operations for an evaluation
//   tree    inducing points along the cuts of a tree over the rows: an approximate prior, exact
//           conditioning on it; about 9 kB and a fixed number of operations a row
//
// auto is dense up to 2500 rows, 4000 with four inputs and more, a tree beyond or where inducing
// points are asked for.
// Likelihoods, inference, learning and prediction do not know which engine answers. One is made for
// a fit, is shared by all of its runs, and goes with the fitted model into its file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/kernel.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

// How near an engine that approximates K comes to it; exact ones take no notice.
enum class EngineAccuracy { fast, normal, high };

std::string_view to_string(EngineAccuracy accuracy);
EngineAccuracy parse_accuracy(std::string_view name);  // UsageError lists what there is

struct EngineOptions {
  std::string name = "auto";  // of engine_table(), or auto: what suits the number of rows
  EngineAccuracy accuracy = EngineAccuracy::normal;
  Index inducing = 0;  // points that all rows look at; 0: as many as the accuracy asks for
};

// What a model was made with.
struct EngineSummary {
  std::string name;
  EngineAccuracy accuracy = EngineAccuracy::normal;
  Index inducing = 0;      // as used
  Index dense_rows = 0;    // an evaluation costs as much as with a dense K of so many rows
  Index predict_rows = 0;  // so many rows are best predicted at once
};

struct EngineEntry {
  std::string_view name, summary;
};
std::vector<EngineEntry> engine_table();

namespace internal {
class Engine;  // src/gram/engine.hpp. Immutable: may be shared between threads
}

// The rows are those of X. `start` is bound to the columns of X, with the values that learning
// starts from; the seed decides wherever points are chosen at random. UsageError for an engine that
// does not exist.
std::shared_ptr<const internal::Engine> make_engine(const EngineOptions& options,
                                                    std::shared_ptr<const Matrix> X,
                                                    const Kernel& start,
                                                    std::uint64_t seed = 1);

}  // namespace ggpm
