// Members and draws in the model file (docs/model-file.md).
#pragma once

#include "model/file_reader.hpp"
#include "model/state.hpp"

namespace ggpm::internal {

NamedArrays average_arrays(const ModelState& state);
// Of a state that has everything else.
void read_averages(const file::Arrays& arrays, const file::Fields& header, ModelState& state);

}  // namespace ggpm::internal
