// An array as a model file holds it.
#pragma once

#include <string>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::internal {

struct NamedArray {
  std::string name;
  Matrix values;
};
using NamedArrays = std::vector<NamedArray>;

}  // namespace ggpm::internal
