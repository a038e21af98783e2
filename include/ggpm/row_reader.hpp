// A saved model meets a table: the columns it needs, a block of rows at a time.
//
//   RowReader reader(saved, "new.csv");
//   while (std::optional<Dataset> rows = reader.next()) saved.model.predictive(*rows).mean();
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "ggpm/data.hpp"
#include "ggpm/model.hpp"
#include "ggpm/roles.hpp"

namespace ggpm {

// GeneralizedGP::fit with errors that name the row and column of the table, not of the fit. Uses up its
// data: a table of many rows should not be there twice.
GeneralizedGP fit_table(TrainingTable& training,
                        const Specification& specification,
                        const FitOptions& options);

// Reads a table of any length in bounded memory.
class RowReader {
 public:
  enum class Target { optional, required };

  // DataError names a column that the table lacks. The model outlives the reader.
  RowReader(const SavedModel& saved,
            const std::string& path,
            Target target = Target::optional,
            MissingPolicy missing = MissingPolicy::error);

  // Before the first block: columns that are carried along as they are. DataError if there is none
  // of such a name.
  void keep(const std::vector<std::string>& columns);
  const Table& kept() const { return kept_; }  // of the last block, these among others

  bool has_target() const { return has_target_; }
  Index dropped() const { return dropped_; }  // rows with missing cells, so far
  // What a person should know of the rows so far, as levels that are new.
  std::vector<std::string> notes() const { return notes_of(unseen_); }
  // Outputs are checked by the likelihood; NaN where they are missing, none without a target.
  std::optional<Dataset> next();

 private:
  void select();
  std::optional<Table> next_table();  // without the rows that are dropped; never empty
  void require(const std::string& column, const std::string& why) const;
  void check_outputs(const Observations& observed, const Table& table) const;

  const SavedModel& saved_;
  ColumnRoles roles_;
  Design design_;
  CsvReader reader_;
  std::unordered_set<std::string> known_;  // its columns: there may be 100,000 to ask for
  std::string source_;
  std::vector<std::string> carried_;  // columns that the model does not read
  Table kept_;
  MissingPolicy missing_;
  Index dropped_ = 0;
  NewLevels unseen_;
  bool has_target_ = false, target_required_ = false, any_ = false;
  bool selected_ = false;
};

}  // namespace ggpm
