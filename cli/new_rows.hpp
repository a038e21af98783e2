// A saved model meets a table: the columns it needs, a block of rows at a time.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "cli/observed.hpp"
#include "ggpm/data.hpp"
#include "ggpm/model.hpp"

namespace ggpm::cli {

inline constexpr Index kBlockRows = 1024;

// What was remembered of the table that the model was fitted to.
ObservedColumns observed_columns(const SavedModel& saved);
// The roles of a model that is about to be saved.
ColumnRoles column_roles(const ObservedColumns& columns);

struct Block {
  NewRows rows;
  Vector y;  // NaN where missing; empty if the table has no target
};

// Reads a table of any length in bounded memory.
class BlockReader {
 public:
  enum class Target { optional, required };
  // DataError names a column that the table lacks.
  BlockReader(const SavedModel& saved,
              const std::string& path,
              Target target,
              MissingPolicy missing = MissingPolicy::error);

  bool has_target() const { return has_target_; }
  Index dropped() const { return dropped_; }  // rows with missing cells, so far
  std::optional<Block> next();

 private:
  std::optional<Table> next_table();  // without the rows that are dropped; never empty
  void require(const std::string& column, const std::string& why) const;

  const SavedModel& saved_;
  ObservedColumns columns_;
  Design design_;
  CsvReader reader_;
  std::unordered_set<std::string> known_;  // its columns: there may be 100,000 to ask for
  std::string source_;
  MissingPolicy missing_;
  Index dropped_ = 0;
  bool has_target_ = false, target_required_ = false, any_ = false;
};

}  // namespace ggpm::cli
