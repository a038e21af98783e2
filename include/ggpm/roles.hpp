// The columns of a table that are not inputs, and the rules by which they become outputs. The rules
// are here once: for a table that the command reads, and for arrays that Python was given.
//
//   TrainingTable read = read_training("counts.csv", {.roles = {.target = "n"}});
//   read.data           // inputs and observations, to be fitted
//   read.reason         // "412 rows, all whole numbers 0…37 → count"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/data.hpp"
#include "ggpm/observations.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

// Which column has which part (empty: none has), and how the target is read.
struct ColumnRoles {
  std::string target = {}, trials = {}, exposure = {}, offset = {};
  std::string weight = {}, censored = {}, upper = {};
  std::vector<std::string> levels = {};  // two classes as they are written; empty: numbers
  bool fractions = false;  // the target is a fraction of trials, not a number of successes
  Index squeeze = 0;       // > 0: y is moved from [0, 1] into (0, 1): (y (n-1) + 1/2) / n of this n

  std::vector<std::string> names() const;         // those that are there
  std::vector<std::string> needed_names() const;  // without the target
  // The column of a field of Observations: "exposure", or "y" for the target.
  std::string column_of(std::string_view field) const;
};

// What kind of number the target is; outputs that may be censored are no counts.
DomainGuess recognize_domain(const Observations& observed, bool has_trials);

// Leaves rows of weight 0 out, of both; returns how many there were.
Index drop_weightless(Table& table, Observations& observed);

// What kind of outputs they are.
struct Understood {
  Domain domain;
  std::string reason;              // how it was recognized; empty: it was given
  std::vector<std::string> notes;  // what a person should know
};
// Looks at outputs for the first time. Recognizes their domain unless it is given, finds two classes
// -1 and 1 and fractions of trials, and keeps in `roles` what it found; then as interpret().
Understood understand(Observations& observed,
                      ColumnRoles& roles,
                      std::optional<Domain> domain,
                      bool squeeze);

// Numbers as they were given become outputs as a likelihood sees them, by the roles: fractions are
// multiplied by their trials, numbers squeezed, -1 becomes 0. Outputs may be NaN (not known).
// UsageError for trials and exposures that such outputs do not have; DataError for impossible ones.
void interpret(Observations& observed, const ColumnRoles& roles, Domain domain);

// The columns of a table with a role: as they are written (two classes as 0 and 1), or as
// interpret() leaves them. A target with missing cells keeps NaN there if `y_may_miss`. Errors name
// file, row, column, value.
Observations read_columns(const Table& table, const ColumnRoles& roles, bool y_may_miss = false);
Observations read_observations(const Table& table,
                               const ColumnRoles& roles,
                               Domain domain,
                               bool y_may_miss = false);

// An error about row i of the observations, as one about the table that they are from.
DataError located(const DataError& error, const Table& table, const ColumnRoles& roles);

// What is said about a table that a model is to be fitted to.
struct TableOptions {
  ColumnRoles roles = {};                                   // the columns; the rest is found
  std::vector<std::string> inputs = {};                     // empty: all other columns
  std::vector<std::string> factors = {}, coordinates = {};  // DesignOptions
  std::vector<std::string> groups = {};                     // of group kernels: group_columns()
  std::vector<std::string> degrees = {};                    // of the sphere: sphere_columns()
  MissingPolicy missing = MissingPolicy::error;
  bool standardize = true;
  bool squeeze = false;
  bool unordered = false;  // levels of the target need no order: several classes
};

// How a table becomes inputs, by what was said about it; `exclude` are columns with another part.
Design learn_design(const Table& table,
                    const TableOptions& options,
                    std::vector<std::string> exclude);
// Rows to be fitted.
Dataset make_dataset(const Table& table, const Design& design, Observations observed);

struct TrainingTable {
  Dataset data;
  ColumnRoles roles;
  Design design;
  Domain domain;                   // as given, or recognized
  std::string reason;              // how it was recognized; empty: it was given
  std::vector<std::string> notes;  // what a person should know
  Table table;                     // the rows that are used, for messages

  // Text of three classes and more, whose order nobody named.
  bool has_classes(const TableOptions& asked) const {
    return asked.roles.levels.empty() && roles.levels.size() > 2;
  }
};
// `domain`: of the likelihood; none: it is to be chosen by the target. Outputs are checked by fit().
TrainingTable read_training(Table table,
                            const TableOptions& options,
                            std::optional<Domain> domain = std::nullopt);
// Reads the columns that are needed of a CSV file; "-" is standard input.
TrainingTable read_training(const std::string& path,
                            const TableOptions& options,
                            std::optional<Domain> domain = std::nullopt);

}  // namespace ggpm
