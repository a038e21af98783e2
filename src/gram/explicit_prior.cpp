#include "gram/explicit_prior.hpp"

namespace ggpm::internal {

// Any engine multiplies; the dense one has the kernel's own matrix, which is n times cheaper.
Matrix explicit_prior(const Engine& engine, const Kernel& kernel) {
  Matrix K(engine.size(), engine.size());
  if (engine.options().name == kDenseEngine.name) {
    kernel.gram(engine.inputs(), K);
    return K;
  }
  const std::unique_ptr<Gram> gram = engine.make_gram();
  gram->build(kernel);
  Vector unit = Vector::Zero(engine.size()), column;
  for (Index j = 0; j < engine.size(); ++j) {
    unit[j] = 1;
    gram->multiply(gram->rows().here(unit), column);
    K.col(j) = gram->rows().everywhere(column);
    unit[j] = 0;
  }
  return K;
}

}  // namespace ggpm::internal
