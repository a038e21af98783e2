// Tables: from a CSV file or from arrays, to a matrix of inputs and a target.
//
//   Table table = read_csv("counts.csv");
//   Design design = Design::learn(table, {.exclude = {"n"}});
//   Matrix X = design.apply(table);                  // (rows, design.dimensions())
//   Vector y = numeric_column(table, "n");
//   recognize_domain(y).reason                       // "412 rows, all whole numbers 0…37 → count"
//
// Everything that is wrong with a table is a DataError that names the file, the row, the column and
// the value. Rows count from 1 and the header is not counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/domain.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

// Numbers, or text. A column is numeric when every cell that is not missing is a number.
struct Column {
  std::string name;
  bool is_text = false;
  std::vector<double> numbers;      // numeric: one a row, NaN where the cell is missing
  std::vector<std::int32_t> codes;  // text: one a row, index into levels, -1 where missing
  std::vector<std::string> levels;  // text: the different values in order of appearance
  Index first_infinite = -1;        // numeric: first row with a number too large for a double,
  std::string first_infinite_cell;  // and how it was written ("1e999")
  Index first_rounded = -1;         // numeric: first row with a whole number beyond 2^53 that no
  std::string first_rounded_cell;   // double is ("9007199254740993")

  Index rows() const { return static_cast<Index>(is_text ? codes.size() : numbers.size()); }
  bool missing(Index row) const;
  std::string cell(Index row) const;  // as text, for messages and files; "NA" where missing
};

class Table {
 public:
  // The source begins every message, the row is the number of the table's first row.
  explicit Table(std::string source = "table", Index first_row_number = 1);

  void add_column(Column column);  // as long as the others, of a new name
  void add_numbers(std::string name, std::vector<double> numbers);
  void add_text(std::string name, std::span<const std::string> cells);  // empty: missing

  Index rows() const { return rows_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::vector<std::string> names() const;
  bool has(std::string_view name) const { return place_.contains(name); }
  const Column& column(std::string_view name) const;  // DataError with the nearest name if unknown

  // The table with these rows (indices from 0), which keep their numbers in messages.
  Table select_rows(std::span<const Index> rows) const;

  const std::string& source() const { return source_; }
  Index row_number(Index row) const;           // as a person counts, from 1
  std::vector<Index> row_numbers() const;      // of all rows; empty: 1, 2, ...
  Place place(std::string_view column) const;  // of an error
  Place place(Index row, std::string_view column) const;
  std::string where(std::string_view column) const;             // "counts.csv: column 'n'"
  std::string where(Index row, std::string_view column) const;  // "counts.csv: row 17, column 'n'"

 private:
  std::string source_;
  Index rows_ = 0;
  Index first_row_number_;
  std::vector<Index> row_numbers_;  // empty: consecutive from first_row_number_
  std::vector<Column> columns_;
  std::map<std::string, std::size_t, std::less<>> place_;  // of a name in columns_
};

// ---- CSV and TSV

struct CsvOptions {
  char delimiter = '\0';                  // '\0': comma, tab or semicolon, whichever the header has
  std::vector<std::string> columns;       // read only these, empty: all
  std::vector<std::string> text_columns;  // text even if every cell is a number
};

// The whole table. "-" is standard input. A table without rows is an error.
Table read_csv(const std::string& path, const CsvOptions& options = {});
Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options = {});

// A table of any length, a block of rows at a time, in memory that does not grow with the file.
// A block decides by itself which of its columns are text; declare those that must be.
class CsvReader {
 public:
  explicit CsvReader(const std::string& path, char delimiter = '\0');
  ~CsvReader();
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;

  const std::vector<std::string>& names() const;  // of the header
  // Before the first block: which columns to read, and which of them are text.
  void select(std::span<const std::string> columns, std::span<const std::string> text_columns = {});
  // At most max_rows rows, nothing at the end. Row numbers continue from block to block.
  std::optional<Table> next(Index max_rows);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Shortest decimal that reads back to the same double; "NA" for NaN.
std::string format_number(double value);
// A spreadsheet takes text that begins with =, +, - or @ for a formula and obeys it, in quotes or
// not; behind an apostrophe it is text, but it does not read back equal.
enum class CsvText { as_it_is, for_spreadsheets };
void append_csv_row(std::string& out,
                    std::span<const std::string> cells,  // quoted where needed
                    CsvText text = CsvText::as_it_is);
void append_csv_row(std::string& out, std::span<const double> numbers);
std::string to_csv(const Table& table, CsvText text = CsvText::as_it_is);

// ---- Rows and columns of a model

enum class MissingPolicy { error, drop };

struct CompleteRows {
  Table table;
  Index dropped = 0;
};
// The rows in which no cell (of these columns) is missing; an error names the first missing cell. A
// table in which nothing is missing is handed through, not copied.
CompleteRows complete_rows(Table table, std::span<const std::string> columns, MissingPolicy policy);
CompleteRows complete_rows(Table table, MissingPolicy policy);

// A column of finite numbers, e.g. the target. Text, missing and infinite cells are errors.
Vector numeric_column(const Table& table, std::string_view name);

struct DesignOptions {
  std::vector<std::string> inputs;   // empty: every column that is not excluded
  std::vector<std::string> exclude;  // target, exposure, trials, ...: never inputs
  std::vector<std::string> factors;  // numbers in these columns are names of levels
  std::vector<std::string> groups;   // levels of these are the numbers of one column of X
  // Columns that are places in one space, scaled together; empty: longitude and latitude, or easting
  // and northing, by their names; "none": none.
  std::vector<std::string> coordinates;
  std::vector<std::string> degrees;  // columns that stay as they are: of kernels on the sphere
  bool standardize = true;           // numeric inputs; one-hot inputs stay 0 and 1
  int max_levels = 100;    // of a text column that is not among the factors: more are an error
  bool new_levels = true;  // DesignColumn::open
};

// One input column of the table, and how it becomes columns of X.
struct DesignColumn {
  std::string name;
  std::vector<std::string> levels;  // text: one column of X a level, sorted; empty: a number
  double center = 0;                // numbers: X = (x - center) / scale
  double scale = 1;
  bool coded = false;  // text: one column of X, with the number of the level, for group kernels
  // One more column of X, 0 in training: a level that was not there has its 1 in it. It is then as
  // far from every known level as these are from each other, and has the prior of an effect.
  bool open = false;
  // Text as 2024-02-29 or 2024-02-29 13:45, in days since 1970; numbers are such days.
  bool is_date = false;
  double unit = 1;  // one unit of X in units of the column; of places, of the space they are in

  Index width() const {  // columns of X
    return levels.empty() || coded ? 1 : static_cast<Index>(levels.size()) + (open ? 1 : 0);
  }
};

using NewLevels = std::map<std::string, std::set<std::string>>;  // by column
// For a person, a sentence for each column.
std::vector<std::string> notes_of(const NewLevels& unseen);

// How a table becomes the matrix X of a model: learned once, stored with it, applied by name.
class Design {
 public:
  static Design learn(const Table& table, const DesignOptions& options);
  explicit Design(std::vector<DesignColumn> columns);  // as stored; DataError if impossible

  // (rows, dimensions()). Columns are found by name, others are ignored. Levels that were not there
  // when the design was learned are added to `unseen`.
  Matrix apply(const Table& table, NewLevels* unseen = nullptr) const;

  Index dimensions() const { return static_cast<Index>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }  // of X: "age", "sex=F", "sex=M"
  const std::vector<DesignColumn>& columns() const { return columns_; }
  std::vector<double> units() const;  // (dimensions()) of one unit of X, in units of the columns
  std::vector<std::string> column_names() const;       // what apply() needs of a table
  std::vector<std::string> text_column_names() const;  // to be read as text
  // What a person should know: text columns that became several inputs, constant columns.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<DesignColumn> columns_;
  std::vector<std::string> names_;
  std::vector<std::string> notes_;
};

// The name of the input that holds the numbers of the levels of a text column, for group kernels.
std::string coded_name(std::string_view column);

struct DomainGuess {
  Domain domain;
  std::string reason;  // "412 rows, all whole numbers 0…37 → count"
};
// What kind of number the target is. With trials given it is a number of successes, or a fraction.
DomainGuess recognize_domain(const Vector& y, bool has_trials = false);

}  // namespace ggpm
