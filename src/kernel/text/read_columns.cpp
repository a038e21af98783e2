// columns = "[" column {"," column} "]",   column = name | quoted name | number from 1
#include <algorithm>
#include <charconv>

#include "kernel/text/reader.hpp"

namespace ggpm::internal::kern {
namespace {

Column read_column(Reader& reader) {
  const std::size_t start = reader.position();
  const std::string_view word = reader.bare_column();
  if (word.empty()) {
    if (reader.at_quote()) return {.name = reader.in_quotes()};
    reader.fail(start, "expected a column, found " + reader.found());
  }
  Index number = 0;
  const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (stop != word.data() + word.size() || status == std::errc::invalid_argument)
    return {.name = std::string(word)};
  if (status != std::errc{} || number < 1)
    reader.fail(start,
                "columns are names or numbers from 1; quote a name that looks like a number");
  return {.name = {}, .number = number};
}

}  // namespace

std::vector<Column> read_columns(Reader& reader) {
  const std::size_t opened_at = reader.position();
  reader.expect('[', "before the columns, as in columns=[year, 2]");
  std::vector<Column> out;
  do {
    const std::size_t start = reader.position();
    Column column = read_column(reader);
    if (std::find(out.begin(), out.end(), column) != out.end())
      reader.fail(start, "this column is listed twice");
    out.push_back(std::move(column));
  } while (reader.accept(','));
  reader.expect_closing(']', opened_at);
  return out;
}

}  // namespace ggpm::internal::kern
