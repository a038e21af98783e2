#pragma once

#include <cstddef>

#include "ggpm/types.hpp"

namespace ggpm::internal {

// Eigen counts with a sign, the containers of the standard library without: v[at(i)].
constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace ggpm::internal
