// The list of engines: the only place that names them.
#include <algorithm>
#include <array>

#include "gram/engine.hpp"

namespace ggpm::internal {

extern const EngineType kDenseEngine, kTreeEngine;

namespace {

constexpr std::array kEngines{&kDenseEngine, &kTreeEngine};

constexpr std::array<std::string_view, 3> kAccuracies{"fast", "normal", "high"};

const EngineType& find(const EngineOptions& options, Index rows) {
  if (options.inducing < 0)
    throw UsageError("engine: the number of inducing points is " +
                     std::to_string(options.inducing) + "; it is at least 0");
  for (const EngineType* type : kEngines)
    if (options.name == "auto" ? type->suits(options, rows) : options.name == type->name)
      return *type;
  std::string known = "auto";
  for (const EngineType* type : kEngines) known += ", " + std::string(type->name);
  throw UsageError("unknown engine '" + options.name + "'; there is " + known);
}

}  // namespace

std::string engine_choice(const EngineOptions& options, Index rows) {
  const EngineType& type = find(options, rows);
  if (options.name != "auto" || type.caution.empty()) return {};
  return "engine " + std::string(type.name) + " for " + std::to_string(rows) + " rows, " +
         std::string(type.caution);
}

void Conditional::predict_term(const Kernel&, const Matrix&, Vector&, Vector&) const {
  throw UsageError(
      "terms: this engine holds the sum of the kernels, not each of them; fit with the engine "
      "dense");
}

EngineCost engine_cost(const EngineOptions& options, Index rows, Index inputs) {
  return find(options, rows).cost(options, rows, inputs);
}

std::shared_ptr<const Engine> restore_engine(const EngineOptions& options,
                                             std::shared_ptr<const Matrix> X,
                                             const NamedArrays& arrays) {
  const EngineType& type = find(options, X->rows());
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

std::vector<EngineEntry> engine_table() {
  std::vector<EngineEntry> out;
  for (const EngineType* type : kEngines) out.push_back({type->name, type->summary});
  return out;
}

std::shared_ptr<const Engine> make_engine(const EngineOptions& options,
                                          std::shared_ptr<const Matrix> X,
                                          const Kernel& start,
                                          std::uint64_t seed) {
  const EngineType& type = find(options, X->rows());
  return type.make(options, std::move(X), start, seed);
}

}  // namespace ggpm
