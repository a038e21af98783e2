// The list of engines: the only place that names them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ggpm/engine_report.hpp"
#include "gram/engine.hpp"
#include "parallel/threads.hpp"
#include "text/text.hpp"

namespace ggpm::internal {

extern const EngineType kTreeEngine, kVariationalEngine;

namespace {

constexpr std::array kEngines{&kDenseEngine, &kTreeEngine, &kVariationalEngine};

constexpr std::array<std::string_view, 3> kAccuracies{"fast", "normal", "high"};

const EngineType& find(const EngineOptions& options, Index rows, Index inputs) {
  if (options.inducing < 0)
    throw UsageError("engine: the number of inducing points is " +
                     std::to_string(options.inducing) + "; it is at least 0");
  for (const EngineType* type : kEngines)
    if (options.name == "auto" ? type->suits(options, rows, inputs) : options.name == type->name)
      return *type;
  std::string known = "auto";
  for (const EngineType* type : kEngines) known += ", " + std::string(type->name);
  throw UsageError("unknown engine '" + options.name + "'; there is " + known);
}

}  // namespace

void Conditional::predict_term(const Kernel&, const Matrix&, Vector&, Vector&) const {
  throw UsageError(
      "terms: this engine holds the sum of the kernels, not each of them; fit with the engine "
      "dense");
}

EngineCost engine_cost(const EngineOptions& options, Index rows, Index inputs) {
  return find(options, rows, inputs).cost(options, rows, inputs);
}

std::shared_ptr<const Engine> restore_engine(const EngineOptions& options,
                                             std::shared_ptr<const Matrix> X,
                                             const NamedArrays& arrays) {
  const EngineType& type = find(options, X->rows(), X->cols());
  return type.restore(options, std::move(X), arrays);
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

std::string_view to_string(EngineAccuracy accuracy) {
  return kAccuracies[static_cast<std::size_t>(accuracy)];
}

EngineAccuracy parse_accuracy(std::string_view name) {
  const auto found = std::find(kAccuracies.begin(), kAccuracies.end(), name);
  if (found == kAccuracies.end())
    throw UsageError("unknown accuracy '" + std::string(name) + "'; there is fast, normal, high");
  return static_cast<EngineAccuracy>(found - kAccuracies.begin());
}

std::string engine_forecast(const EngineOptions& options, Index rows, Index inputs, int threads) {
  constexpr double kNoTime = 1;
  const EngineType& type = find(options, rows, inputs);
  const EngineCost cost = type.cost(options, rows, inputs);
  const double seconds = cost.seconds / (threads > 0 ? threads : default_threads());
  const bool chosen = options.name == "auto" && !type.caution.empty();
  if (!chosen && seconds < kNoTime) return {};
  std::string out = fmt::format("engine {} for {} rows: an evaluation takes about {} s and {} GB",
                                type.name,
                                rows,
                                text::with_digits(seconds, 1),
                                text::with_digits(double(cost.bytes(1)) / 1e9, 2));
  if (chosen) out += fmt::format("; {}", type.caution);
  return out;
}

std::vector<EngineEntry> engine_table() {
  std::vector<EngineEntry> out;
  out.reserve(kEngines.size());
  for (const EngineType* type : kEngines) out.push_back({type->name, type->summary});
  return out;
}

std::shared_ptr<const Engine> make_engine(const EngineOptions& options,
                                          std::shared_ptr<const Matrix> X,
                                          const Kernel& start,
                                          std::uint64_t seed) {
  const EngineType& type = find(options, X->rows(), X->cols());
  return type.make(options, std::move(X), start, seed);
}

}  // namespace ggpm
