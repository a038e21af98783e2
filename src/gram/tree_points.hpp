// Inducing inputs, in plain arithmetic, so that they are the same with any BLAS.
#pragma once

#include <cstdint>

#include "ggpm/types.hpp"

namespace ggpm::internal {

// A stream of numbers that depends on seed and position alone.
std::uint64_t mix_bits(std::uint64_t x);

// At most `count` centers of the rows of X (n, d), by a few steps of k-means; without repetition.
Matrix kmeans_centers(Matrix X, Index count, std::uint64_t seed);

}  // namespace ggpm::internal
