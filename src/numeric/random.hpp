// Random numbers that are the same for a seed on every machine: the engines of the standard library
// are, its distributions and std::shuffle are not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::internal::numeric {

// One of the independent streams of a seed: start k, row i, ...
std::mt19937_64 random_stream(std::uint64_t seed, std::uint64_t stream);

// In the open interval (0, 1): the first 53 bits and half a step, which for the last of all would
// round to 1.
inline double to_uniform(std::uint64_t bits) {
  return std::min((static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53, 1 - 0x1p-53);
}
inline double uniform(std::mt19937_64& random) { return to_uniform(random()); }

// One of 0 ... bound - 1, each as likely as the others.
std::uint64_t uniform_below(std::uint64_t bound, std::mt19937_64& random);

// 0 ... count - 1 in random order.
std::vector<Index> shuffled(Index count, std::mt19937_64& random);

// `some` of 0 ... count - 1, in ascending order; all where there are no more.
std::vector<Index> some_of(Index count, Index some, std::uint64_t seed);

}  // namespace ggpm::internal::numeric
