// A root of a covariance, to draw functions with.
#pragma once

#include <string_view>

#include "ggpm/types.hpp"

namespace ggpm::internal {

// Lower triangular L with L L^T = K, which may be singular (equal rows): its diagonal grows, from
// 1e-14 of `size` on, until it has a factor. NumericalError, which begins with `what`, where K is
// not finite or not positive definite.
Matrix gaussian_root(Matrix K, double size, std::string_view what);

}  // namespace ggpm::internal
