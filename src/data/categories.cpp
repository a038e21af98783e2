#include "data/categories.hpp"

#include <fmt/format.h>

#include <vector>

#include "text/text.hpp"

namespace ggpm::internal::data {

void require_categories(const Table& table, const Column& column) {
  enum class Kind { number, nearly, word };
  std::vector<Kind> kind_of;
  for (const std::string& level : column.levels)
    kind_of.push_back(parse_number(level)                 ? Kind::number
                      : !text::number_hint(level).empty() ? Kind::nearly
                                                          : Kind::word);
  Index numbers = 0, nearly = 0, words = 0, first = -1;
  for (Index row = 0; row < column.rows(); ++row) {
    if (column.missing(row)) continue;
    const auto code = static_cast<std::size_t>(column.codes[static_cast<std::size_t>(row)]);
    const Kind kind = kind_of[code];
    ++(kind == Kind::number ? numbers : kind == Kind::nearly ? nearly : words);
    if (kind != Kind::number && first < 0) first = row;
  }
  if (first < 0 || numbers + nearly <= words) return;  // also a column that was declared to be text
  const std::string cell = column.cell(first);
  const std::string hint = text::number_hint(cell);
  throw DataError(
      table.place(first, column.name),
      fmt::format(
          "{} is not a number{}; {}",
          in_quotes(cell),
          numbers > 0 ? fmt::format(", {} other cells of the column are", numbers) : std::string(),
          hint.empty() ? "correct it or write NA" : hint));
}

}  // namespace ggpm::internal::data
