// ggpm describe DATA [--target Y]: what is in a table, and what kind of number the target is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "ggpm/data.hpp"
#include "ggpm/text.hpp"

namespace ggpm::cli {
namespace {

struct DescribeOptions {
  std::string data, target, trials;
};

struct Line {
  std::string name, kind, missing, values;
};

Line line_of(const Column& column) {
  Line line{harmless(column.name), column.is_text ? "text" : "number", "", ""};
  Index missing = 0;
  for (Index row = 0; row < column.rows(); ++row) missing += column.missing(row) ? 1 : 0;
  line.missing = std::to_string(missing);
  if (column.is_text) {
    line.values = fmt::format("{} different", column.levels.size());
  } else if (missing < column.rows()) {
    const auto present = [](double a, double b) {
      return !std::isnan(a) && (std::isnan(b) || a < b);
    };
    const auto& x = column.numbers;
    const double lowest = *std::min_element(x.begin(), x.end(), present);
    const double highest = *std::max_element(x.begin(), x.end(), [](double a, double b) {
      return !std::isnan(b) && (std::isnan(a) || a < b);
    });
    line.values = format_number(lowest) + " … " + format_number(highest);
  }
  return line;
}

std::string describe_columns(const Table& table) {
  std::vector<Line> lines = {{"column", "kind", "missing", "values"}};
  for (const Column& column : table.columns()) lines.push_back(line_of(column));
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.name.size());
  std::string out = fmt::format(
      "{}: {} rows, {} columns\n", table.source(), table.rows(), table.columns().size());
  for (const Line& line : lines)
    out += fmt::format(
        "{:<{}}  {:<6}  {:>7}  {}\n", line.name, width, line.kind, line.missing, line.values);
  return out;
}

void describe(const DescribeOptions& options) {
  const Table table = read_csv(options.data);
  std::string out = describe_columns(table);
  if (!options.target.empty()) {
    const std::vector<std::string> needed = {options.target};
    const CompleteRows complete = complete_rows(table, needed, MissingPolicy::drop);
    if (complete.dropped > 0)
      note(fmt::format("{}: rows without a value are left out: {}",
                       table.where(options.target),
                       complete.dropped));
    const Vector y = numeric_column(complete.table, options.target);
    if (!options.trials.empty()) numeric_column(complete.table, options.trials);
    out += "target " + harmless(options.target) + ": " +
           recognize_domain(y, !options.trials.empty()).reason + "\n";
  }
  print(out);
}

}  // namespace

void add_describe(CLI::App& app) {
  Command command(app, "describe", "What is in a table, and what kind of number the target is");
  auto options = std::make_shared<DescribeOptions>();
  command.text("DATA", options->data, "CSV or TSV with a header; - is standard input").required();
  command.text("--target", options->target, "The column to be explained");
  command.text("--trials", options->trials, "The column with the number of trials");
  command.run([options] { describe(*options); });
}

}  // namespace ggpm::cli
