// Maps over two inputs: what the model predicts, how sure it is of that, and the data.
#pragma once

#include <utility>
#include <vector>

#include "report/curves.hpp"

namespace ggpm::internal::report {

// The two inputs that maps are drawn over: longitude and latitude by their names, otherwise the two
// numbers with the largest effects (`inputs` begins with the largest). Null: there are not two.
struct MapInputs {
  const Input *x = nullptr, *y = nullptr;
  double aspect = 0.8;  // height over width; of places on earth as they lie
};
MapInputs map_inputs(const std::vector<const Input*>& inputs);

std::vector<Chart> map_charts(const Subject& subject, const MapInputs& over);

}  // namespace ggpm::internal::report
