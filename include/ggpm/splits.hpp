// Rows to learn from and rows to judge by.
#pragma once

#include <cstdint>
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

struct SplitOptions {
  int splits = 0;      // random splits, or repeats of the folds; 0: 10, or 1
  int folds = 0;       // 0: random splits
  double train = 0.7;  // a share below 1, or a number of rows; of random splits
  std::uint64_t seed = 1;
};
std::vector<Split> make_splits(const SplitOptions& options, Index rows);

}  // namespace ggpm
