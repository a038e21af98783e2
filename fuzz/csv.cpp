// A table that somebody sent: read, written and read again, and turned into rows of a model.
#include <cmath>
#include <string>

#include "fuzz.hpp"
#include "ggpm/data.hpp"
#include "ggpm/roles.hpp"

using namespace ggpm;

namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Text may read back as numbers where all of a column looks like some; numbers stay numbers.
void check_round_trip(const Table& table) {
  const Table again = parse_csv(to_csv(table), "again", {.delimiter = ','});
  fuzz::require(again.rows() == table.rows(), "a table that was written has its rows");
  fuzz::require(again.names() == table.names(), "a table that was written has its columns");
  for (const Column& column : table.columns()) {
    const Column& other = again.column(column.name);
    if (column.is_text || column.first_infinite >= 0) continue;
    fuzz::require(!other.is_text, "numbers that were written are numbers");
    for (std::size_t i = 0; i < column.numbers.size(); ++i)
      fuzz::require(same(column.numbers[i], other.numbers[i]), "numbers read back the same");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::answered([&] {
    const Table table = parse_csv(fuzz::text_of(data, size), "table");
    check_round_trip(table);
    const TableOptions options{.roles = {.target = table.names().back()}};
    fuzz::answered([&] { read_training(table, options); });
    TableOptions dropping = options;
    dropping.missing = MissingPolicy::drop;
    fuzz::answered([&] {
      const TrainingTable training = read_training(table, dropping);
      fuzz::require(training.data.X.allFinite(), "inputs are finite");
    });
  });
  return 0;
}
