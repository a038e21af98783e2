// What the two halves of the model file agree on: the names and shapes of its arrays.
#pragma once

#include <string>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::file {

// Sizes on which the shapes depend.
struct Sizes {
  Index rows = 0, inputs = 0, parameters = 0, optima = 0, design = 0;
  bool trials = false, exposure = false, offset = false;  // stored only where they are not trivial
};

struct Shape {
  std::string name;
  Index rows, cols;
};

// The arrays of a file, in order. Single numbers share the array "scalars", in the order of Scalar.
std::vector<Shape> shapes(const Sizes& sizes);

enum Scalar : Index {
  log_marginal,
  dispersion,  // LikelihoodOptions, as given
  df,
  expansion_offset,
  jitter,
  residual,
  inference_tolerance,
  warp_center,
  warp_scale,
  scalar_count
};

// Rows of the array "prior": kind, a, b. Of "optimum": log marginal, then the parameters.

}  // namespace ggpm::file
