#pragma once

#include <memory>
#include <mutex>

#include "gram/engine.hpp"
#include "gram/tree_structure.hpp"

namespace ggpm::internal {

// Cut, leaf and active sizes of an accuracy; from four inputs on points that all rows look at, in
// place of those along cuts, which no longer separate anything.
TreeOptions tree_options(const EngineOptions& options, Index inputs, std::uint64_t seed);

// (d) How far one moves along an input until the correlation has fallen to a half, in any kernel:
// a length-scale for those that have one, far for linear terms. Inputs that matter little are far.
Vector input_scales(const Kernel& kernel, const Matrix& X);

class TreeEngine final : public Engine {
 public:
  // The structure is made by the first who needs it: learning on parts of the rows leaves the engine
  // that it is given without one.
  TreeEngine(EngineOptions options,
             std::shared_ptr<const Matrix> X,
             Vector scale,
             TreeOptions sizes)
      : Engine(std::move(options), std::move(X)),
        scale_(std::move(scale)),
        sizes_(std::move(sizes)) {}
  TreeEngine(EngineOptions options,
             std::shared_ptr<const Matrix> X,
             std::shared_ptr<const TreeStructure> structure);

  EngineCost cost() const override;
  std::unique_ptr<Gram> make_gram() const override;
  std::unique_ptr<const Conditional> condition(const Kernel& kernel,
                                               const Posterior& posterior) const override;
  std::shared_ptr<const Engine> subset(const std::vector<Index>& rows) const override;
  EngineOptions rough() const override;
  std::shared_ptr<const Engine> finer() const override;
  NamedArrays arrays() const override { return structure()->arrays(); }
  std::shared_ptr<const TreeStructure> structure() const;

 private:
  // For other rows, or with other sizes; features, which are the kernel's, stay.
  std::shared_ptr<const Engine> alike(const EngineOptions& options,
                                      std::shared_ptr<const Matrix> X,
                                      TreeOptions sizes) const;

  const Vector scale_;
  const TreeOptions sizes_;
  mutable std::mutex mutex_;  // of what follows
  mutable std::shared_ptr<const TreeStructure> structure_;
};

}  // namespace ggpm::internal
