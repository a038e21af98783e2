// New rows on their way to a model.
#pragma once

#include "ggpm/model.hpp"

namespace ggpm::internal {

struct PreparedRows {
  Observations observed;  // as the likelihood sees them
  Vector prior_mean;      // (m) of the latent function, without offset and exposure
  Vector shift;           // (m) offset and, where it shifts eta, log exposure
};
// DataError where the rows do not belong to the model.
PreparedRows prepare_rows(const Dataset& rows, const ModelState& state);

}  // namespace ggpm::internal
