// An inference method as everything else knows it. A new one is a file with its Method, a line in
// methods.def, and its name in the enum of ggpm/inference.hpp.
#pragma once

#include <vector>

#include "inference/problem.hpp"

namespace ggpm::internal {

// Constant-initialized, so that it does not matter which file comes first.
struct Method {
  InferenceInfo info;
  std::string_view label;  // in a sentence: "Laplace", "EP"
  Solution (*solve)(const Problem& problem);
  // UsageError where the method does not exist for this likelihood and these rows, which says what
  // to use instead. Null: it always exists.
  void (*check)(const Likelihood& likelihood, std::span<const Row> rows) = nullptr;
  // A sweep integrates for every row, which costs more than the matrices of few rows.
  bool integrates = false;
};

#define METHOD(method) extern const Method method;
#include "inference/methods.def"
#undef METHOD

const Method& find_method(InferenceMethod method);

// What methods that expand log p check.
void require_curvature(const Method& method, const Likelihood& likelihood);

// Checks and solves. A warm start is a guess: where it does not lead straight to an answer, the cold
// start decides.
Solution solve(const Method& method, const Problem& problem);

}  // namespace ggpm::internal
