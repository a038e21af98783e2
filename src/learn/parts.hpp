// Parts of the rows: learning goes from few to all of them, and takes along what it has learned.
#pragma once

#include <cstdint>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::internal {

// `count` of the rows in the order of the data; empty: there are no more, take all. Where they are a
// small part, half of them are drawn at random, and half are the neighbors of a few rows: rows that
// are all far from each other hide a short length-scale.
std::vector<Index> part_of_rows(const Matrix& X, Index count, std::uint64_t seed);

// How many rows the inference method sees, the last time all n: each time at most so many times as
// many that the optimum of one part is a good start for the next.
std::vector<Index> growing_parts(Index n);

}  // namespace ggpm::internal
