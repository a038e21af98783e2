#include <cmath>

#include "data/csv_parser.hpp"
#include "ggpm/data.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

// Whether the reader would take the bare cell for something else.
bool needs_quotes(std::string_view cell) {
  return cell.empty() || cell.find_first_of("\",;\t\r\n") != std::string_view::npos ||
         cell.front() == ' ' || cell.back() == ' ';
}

bool is_formula(std::string_view cell) {
  return !cell.empty() &&
         std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos &&
         !parse_number(cell);
}

void append_cell(std::string& out, std::string_view cell, CsvText text, bool may_begin = false) {
  const bool apostrophe = text == CsvText::for_spreadsheets && is_formula(cell);
  if (!needs_quotes(cell) && !(may_begin && data::begins_otherwise(cell))) {
    if (apostrophe) out += '\'';
    out += cell;
    return;
  }
  out += apostrophe ? "\"'" : "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

std::string format_number(double value) { return std::isnan(value) ? "NA" : text::shortest(value); }

void append_csv_row(std::string& out, std::span<const std::string> cells, CsvText text) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    append_cell(out, cells[i], text, i == 0);  // a header's first name begins the file
  }
  out += '\n';
}

void append_csv_row(std::string& out, std::span<const double> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    out += format_number(numbers[i]);
  }
  out += '\n';
}

std::string to_csv(const Table& table, CsvText text) {
  std::string out;
  append_csv_row(out, table.names(), text);
  for (Index row = 0; row < table.rows(); ++row) {
    bool first = true;
    for (const Column& column : table.columns()) {
      if (!first) out += ',';
      first = false;
      append_cell(out, column.cell(row), text);
    }
    out += '\n';
  }
  return out;
}

}  // namespace ggpm
