// The columns of a table that are not inputs: target, trials, exposure, offset.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ggpm/data.hpp"
#include "ggpm/likelihood.hpp"

namespace ggpm::cli {

struct ObservedColumns {
  std::string target, trials, exposure, offset;  // empty: there is none
  std::vector<std::string> levels;  // of a binary target as they are written; empty: 0 and 1
  bool fractions = false;           // the target is a fraction of trials
  Index squeeze = 0;                // > 0: y in [0, 1] becomes (y (n - 1) + 1/2) / n for this n

  std::vector<std::string> names() const;         // those that are there
  std::vector<std::string> needed_names() const;  // without the target
};

struct Observed {
  std::vector<Row> rows;
  Vector offset;  // empty: none
  Vector y() const;
  Vector exposure() const;
  Vector trials() const;
};

// Numbers of the columns, checked where the likelihood will not do it: exposures above 0, whole
// numbers of trials. A target with missing cells keeps NaN there if `may_miss`. Errors name file,
// row, column, value.
Observed read_observed(const Table& table,
                       const ObservedColumns& columns,
                       Domain domain,
                       bool may_miss = false);

// "row 17: y = -2; poisson needs ..." of the library becomes "counts.csv: row 20, column 'n': ...".
std::string located(const std::string& message, const Table& table, const std::string& target);
// Likelihood::check with that.
void check_rows(const Likelihood& likelihood,
                std::span<const Row> rows,
                const Table& table,
                const std::string& target);

}  // namespace ggpm::cli
