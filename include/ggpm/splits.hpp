// Rows to learn from and rows to judge by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm {

struct Split {
  std::vector<Index> train, test;  // rows, ascending
};
// The same splits for the same seed on every machine.
std::vector<Split> random_splits(Index rows, Index train, int count, std::uint64_t seed = 1);
// `repeats` shuffles, each cut into folds whose sizes differ by at most one.
std::vector<Split> k_folds(Index rows, int folds, int repeats, std::uint64_t seed = 1);

// Folds in which no group is on both sides: rows of one number stay together.
std::vector<Split> group_folds(std::span<const Index> groups,
                               int folds,
                               int repeats,
                               std::uint64_t seed = 1);
// Forward chaining: rows by time are cut into folds + 1 parts, and each but the first is predicted
// from all before it. Rows of the same time stay together.
std::vector<Split> forward_splits(const Vector& times, int folds);
// The number of the block of each row: places (rows, d) are cut in two where they are widest, again
// and again, each time with as many rows on both sides, until there are so many blocks. Folds of
// them (group_folds) are predicted from places that are not next door.
std::vector<Index> spatial_blocks(const Matrix& places, Index blocks);

struct SplitOptions {
  int splits = 0;      // random splits, or repeats of the folds; 0: 10, or 1
  int folds = 0;       // 0: random splits
  double train = 0.7;  // a share below 1, or a number of rows; of random splits
  std::uint64_t seed = 1;
};
std::vector<Split> make_splits(const SplitOptions& options, Index rows);

}  // namespace ggpm
