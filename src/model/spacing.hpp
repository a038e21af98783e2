// How far rows are apart.
#pragma once

#include <vector>

#include "ggpm/model.hpp"

namespace ggpm::internal {

// Whether a kernel with these length-scales is noise to these rows: half of them share less than a
// twentieth of its variance with the nearest other row. Rows at one place see each other, however
// short the scale is. Looks at some rows, so that it costs no more than one evaluation of the kernel.
bool is_below_spacing(const Matrix& X, const std::vector<FittedParameter>& length_scales);

}  // namespace ggpm::internal
