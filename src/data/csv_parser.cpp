#include "data/csv_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "text/text.hpp"

namespace ggpm::internal::data {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// What begins with these bytes is no text of columns, whatever its name says.
struct Foreign {
  std::string_view magic, name, remedy;
};
constexpr std::string_view kUnpack = "unpack it, or pack it with gzip",
                           kSaveSheet = "save the sheet as CSV",
                           kWriteTable = "write the table as CSV", kUtf8 = "save it as UTF-8";
constexpr std::array<Foreign, 11> kForeign = {{
    {"\xFF\xFE", "UTF-16 text", kUtf8},
    {"\xFE\xFF", "UTF-16 text", kUtf8},
    {"BZh", "compressed by bzip2", kUnpack},
    {"\xFD\x37zXZ", "compressed by xz", kUnpack},
    {"\x28\xB5\x2F\xFD", "compressed by zstd", kUnpack},
    {"PK\x03\x04", "an Excel workbook or another zip archive", kSaveSheet},
    {"\xD0\xCF\x11\xE0", "an Excel workbook", kSaveSheet},
    {"PAR1", "Parquet", kWriteTable},
    {"ARROW1", "Arrow or Feather", kWriteTable},
    {"\x89HDF", "HDF5", kWriteTable},
    {"SQLite format 3", "an SQLite database", kWriteTable},
}};

std::string foreign_format(std::string_view start) {
  for (const Foreign& format : kForeign)
    if (start.starts_with(format.magic))
      return fmt::format("the file is {}; {}", format.name, format.remedy);
  // A letter and a zero, or a zero and a letter: UTF-16 that does not say so.
  if (start.size() >= 4 && (start[0] == 0) != (start[1] == 0) &&
      (start[0] == 0) == (start[2] == 0) && (start[1] == 0) == (start[3] == 0))
    return fmt::format("the file is UTF-16 text; {}", kUtf8);
  return {};
}

// A tab or a semicolon separates only where the header has no comma outside of quotes.
char recognize_delimiter(std::string_view start) {
  bool in_quotes = false, tab = false, semicolon = false;
  for (const char c : start) {
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    if (c == '\n' || c == '\r') break;
    if (c == ',') return ',';
    tab = tab || c == '\t';
    semicolon = semicolon || c == ';';
  }
  return tab ? '\t' : semicolon ? ';' : ',';
}

// Strict: a quote that is neither around a cell nor doubled is an error, not a guess.
void begin_parser(csv_parser& parser) {
  csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL);
  csv_set_blk_size(&parser, 4096);
}

}  // namespace

bool begins_otherwise(std::string_view cell) {
  return cell.starts_with(kByteOrderMark) || !foreign_format(cell).empty();
}

CsvParser::CsvParser(std::unique_ptr<ByteSource> source, char delimiter)
    : source_(unpacked(std::move(source))), chunk_(kChunkBytes), delimiter_(delimiter) {
  begin_parser(parser_);
  try {
    while (!header_done_ && !at_end_) read_chunk();
    if (!header_done_) fail("the input is empty; the first line must name the columns");
  } catch (...) {
    csv_free(&parser_);
    throw;
  }
}

CsvParser::CsvParser(std::unique_ptr<ByteSource> rows, const CsvParser& header)
    : source_(std::move(rows)),
      chunk_(kChunkBytes),
      at_start_(false),
      delimiter_(header.delimiter_),
      names_(header.names_),
      header_done_(true),
      selected_(header.selected_) {
  begin_parser(parser_);
  csv_set_delim(&parser_, static_cast<unsigned char>(delimiter_));
}

CsvParser::~CsvParser() { csv_free(&parser_); }

void CsvParser::fail(const std::string& what) const {
  throw DataError(source_->name() + ": " + what);
}

void CsvParser::select(std::vector<std::size_t> places) { selected_ = std::move(places); }

std::size_t CsvParser::bytes_of(Index rows) const {
  const std::size_t count = static_cast<std::size_t>(rows) * selected_.size();
  if (count == 0) return 0;
  return ends_[gone_ + count - 1] - (gone_ == 0 ? 0 : ends_[gone_ - 1]);
}

bool CsvParser::lacks(Index max_rows, std::size_t max_bytes) const {
  return queued_ < max_rows && bytes_of(queued_) < max_bytes;
}

Index CsvParser::fill(Index max_rows, std::size_t max_bytes) {
  while (lacks(max_rows, max_bytes) && !at_end_) read_chunk();
  // The first number of rows that is enough, if there is one.
  Index few = 0, enough = std::min(queued_, max_rows);
  while (enough - few > 1) {
    const Index middle = few + (enough - few) / 2;
    (bytes_of(middle) < max_bytes ? few : enough) = middle;
  }
  return enough;
}

std::string_view CsvParser::cell(Index row, std::size_t selected_column) const {
  const std::size_t k = gone_ + static_cast<std::size_t>(row) * selected_.size() + selected_column;
  const std::size_t begin = k == 0 ? 0 : ends_[k - 1];
  return std::string_view(cells_).substr(begin, ends_[k] - begin);
}

void CsvParser::consume(Index rows) {
  gone_ += static_cast<std::size_t>(rows) * selected_.size();
  queued_ -= rows;
  first_row_number_ += rows;
  if (2 * gone_ < ends_.size() || gone_ == 0) return;  // moving the rest costs more than it takes
  const std::uint32_t bytes = ends_[gone_ - 1];
  cells_.erase(0, bytes);
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(gone_));
  for (std::uint32_t& end : ends_) end -= bytes;
  gone_ = 0;
}

// Rows, ends of their cells, cells.
std::string CsvParser::packed_queue() const {
  assert(gone_ == 0);
  const std::size_t count = static_cast<std::size_t>(queued_) * selected_.size();
  std::string out(sizeof queued_ + count * sizeof ends_[0], '\0');
  std::memcpy(out.data(), &queued_, sizeof queued_);
  if (count > 0) std::memcpy(out.data() + sizeof queued_, ends_.data(), count * sizeof ends_[0]);
  return out.append(cells_, 0, bytes_of(queued_));
}

void CsvParser::append_packed(std::string_view queue) {
  Index rows = 0;
  std::memcpy(&rows, queue.data(), sizeof rows);
  const std::size_t count = static_cast<std::size_t>(rows) * selected_.size();
  const auto base = static_cast<std::uint32_t>(cells_.size());
  const std::size_t old = ends_.size();
  ends_.resize(old + count);
  if (count > 0)
    std::memcpy(ends_.data() + old, queue.data() + sizeof rows, count * sizeof ends_[0]);
  for (std::size_t k = old; k < ends_.size(); ++k) ends_[k] += base;
  cells_ += queue.substr(sizeof rows + count * sizeof ends_[0]);
  queued_ += rows;
}

void CsvParser::read_no_more() {
  rest_ = {};
  at_end_ = true;
}

void CsvParser::read_on(std::unique_ptr<ByteSource> rows) {
  source_ = std::move(rows);
  at_end_ = false;
  last_terminator_ = 0;
}

void CsvParser::begin_input() {
  at_start_ = false;
  if (const std::string foreign = foreign_format(rest_); !foreign.empty()) fail(foreign);
  if (rest_.starts_with(kByteOrderMark)) {
    rest_.remove_prefix(kByteOrderMark.size());
    header_bytes_ = kByteOrderMark.size();
  }
  if (delimiter_ == '\0') delimiter_ = recognize_delimiter(rest_);
  csv_set_delim(&parser_, static_cast<unsigned char>(delimiter_));
}

void CsvParser::finish_input() {
  at_end_ = true;
  const int status = csv_fini(&parser_, on_field, on_row, this);
  if (failure_) std::rethrow_exception(failure_);
  if (status != 0)
    fail(fmt::format("row {}, column {}: the input ends inside quotes; close them",
                     row_in_progress(),
                     column_ + 1));
}

void CsvParser::read_chunk() {
  if (rest_.empty()) {
    const std::size_t count = source_->read(chunk_);
    if (count == 0) return finish_input();
    rest_ = {chunk_.data(), count};
    if (at_start_) begin_input();
  }
  std::string_view bytes = rest_;
  if (!header_done_) {  // a line at a time, to stop where it ends
    if (const std::size_t line = rest_.find_first_of("\r\n"); line != rest_.npos)
      bytes = rest_.substr(0, line + 1);
    header_bytes_ += bytes.size();
  }
  rest_.remove_prefix(bytes.size());
  parse(bytes);
}

void CsvParser::parse(std::string_view bytes) {
  const std::size_t done = csv_parse(&parser_, bytes.data(), bytes.size(), on_field, on_row, this);
  if (failure_) std::rethrow_exception(failure_);
  const std::string where =
      fmt::format("{}, column {}",
                  header_done_ ? fmt::format("row {}", row_in_progress()) : "header",
                  column_ + 1);
  if (csv_get_buffer_size(&parser_) > kMaxFieldBytes)
    fail(fmt::format(
        "{}: the cell is longer than {} bytes; is a quote left open?", where, kMaxFieldBytes));
  if (done == bytes.size()) return;
  if (csv_error(&parser_) == CSV_ENOMEM) throw std::bad_alloc();
  fail(where + ": a quote inside a cell; put the cell in quotes and double those within");
}

void CsvParser::on_field(void* bytes, std::size_t size, void* self) {
  auto& parser = *static_cast<CsvParser*>(self);
  if (parser.failure_) return;
  try {
    parser.take_field({static_cast<const char*>(bytes), size});
  } catch (...) {
    parser.failure_ = std::current_exception();
  }
}

void CsvParser::on_row(int terminator, void* self) {
  auto& parser = *static_cast<CsvParser*>(self);
  if (parser.failure_) return;
  try {
    parser.take_row(terminator);
  } catch (...) {
    parser.failure_ = std::current_exception();
  }
}

void CsvParser::take_field(std::string_view cell) {
  if (!header_done_) {
    if (names_.size() == kMaxColumns)
      fail(
          fmt::format("the header has more than {} columns; is the delimiter right?", kMaxColumns));
    names_.emplace_back(cell);
    ++column_;
    return;
  }
  if (column_ == names_.size())
    fail(
        fmt::format("row {} has more cells than the header, which has {}; quote cells that contain "
                    "the delimiter",
                    row_in_progress(),
                    names_.size()));
  if (next_selected_ < selected_.size() && selected_[next_selected_] == column_) {
    ++next_selected_;
    if (cells_.size() + cell.size() > kMaxQueueBytes)
      fail(fmt::format("row {} is longer than {} bytes; is a line break missing?",
                       row_in_progress(),
                       kMaxQueueBytes));
    cells_ += cell;
    ends_.push_back(static_cast<std::uint32_t>(cells_.size()));
  }
  ++column_;
}

void CsvParser::take_row(int terminator) {
  const bool second_half = column_ == 0 && terminator == '\n' && last_terminator_ == '\r';
  last_terminator_ = second_half ? 0 : terminator;
  if (second_half) return;
  if (column_ == 0) {  // a blank line; at the end of the input it means nothing
    if (header_done_ && blank_line_ == 0) blank_line_ = row_in_progress();
    return;
  }
  if (!header_done_) {
    finish_header();
  } else {
    if (blank_line_ > 0 && names_.size() == 1)
      fail(fmt::format("row {} is a blank line; write NA for a missing value or remove the line",
                       blank_line_));
    blank_line_ = 0;
    if (column_ < names_.size())
      fail(fmt::format("row {} has {}, the header has {}; write NA where a value is missing",
                       row_in_progress(),
                       column_ == 1 ? "1 cell" : fmt::format("{} cells", column_),
                       names_.size()));
    ++queued_;
  }
  column_ = 0;
  next_selected_ = 0;
}

void CsvParser::finish_header() {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    const std::string where = fmt::format("header, column {}", i + 1);
    if (name.empty()) fail(where + " has no name; name it or remove the column");
    if (name.find('\0') != std::string::npos)
      fail(where + ": the name " + in_quotes(name) + " has a NUL byte; is this a text file?");
    if (!text::is_valid_utf8(name))
      fail(where + ": the name " + in_quotes(name) + " is not UTF-8; save the file as UTF-8");
    const auto [other, is_new] = place.emplace(name, i);
    if (!is_new)
      fail(fmt::format("header: the name {} stands in columns {} and {}; rename one",
                       in_quotes(name),
                       other->second + 1,
                       i + 1));
  }
  if (std::all_of(names_.begin(), names_.end(), [](const std::string& name) {
        return parse_number(name).has_value();
      }))
    fail("the first line has only numbers (" + text::listed(names_, 4) +
         "); it must name the columns");
  header_done_ = true;
  selected_.resize(names_.size());
  std::iota(selected_.begin(), selected_.end(), std::size_t{0});
}

}  // namespace ggpm::internal::data
