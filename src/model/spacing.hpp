// How far rows are apart.
#pragma once

#include <vector>

#include "ggpm/model.hpp"

namespace ggpm::internal {

// Whether rows are so far apart, for a kernel with these length-scales, that they hardly see each
// other: half of them are 4 length-scales or more from the nearest row at another place. Looks at
// some rows, so that it costs no more than one evaluation of the kernel.
bool is_below_spacing(const Matrix& X, const std::vector<FittedParameter>& length_scales);

}  // namespace ggpm::internal
