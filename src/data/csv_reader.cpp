#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "data/byte_source.hpp"
#include "data/column_builder.hpp"
#include "data/csv_parser.hpp"
#include "ggpm/data.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

// Enough to pay for the loop, small enough to stay in the cache.
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr Index kBlockRows = 1 << 16;

using data::ColumnBuilder;
using data::CsvParser;

std::vector<std::size_t> places_of(const CsvParser& parser, std::span<const std::string> columns) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < parser.names().size(); ++i) place.emplace(parser.names()[i], i);
  std::vector<std::size_t> places;
  for (const std::string& name : columns) {
    const auto found = place.find(name);
    if (found == place.end())
      throw DataError(text::unknown_column(parser.source(), name, parser.names()));
    places.push_back(found->second);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::vector<ColumnBuilder> builders_for(const CsvParser& parser,
                                        std::span<const std::string> text_columns) {
  const std::unordered_set<std::string_view> text(text_columns.begin(), text_columns.end());
  std::vector<ColumnBuilder> builders;
  builders.reserve(parser.selected().size());
  for (const std::size_t place : parser.selected()) {
    const std::string& name = parser.names()[place];
    builders.emplace_back(name, text.contains(name));
  }
  return builders;
}

void append_block(CsvParser& parser, std::vector<ColumnBuilder>& builders, Index rows) {
  for (std::size_t j = 0; j < builders.size(); ++j) builders[j].append(parser, j, rows);
  parser.consume(rows);
}

Table finish(std::vector<ColumnBuilder> builders, Table table) {
  for (ColumnBuilder& builder : builders) table.add_column(std::move(builder).finish());
  return table;
}

template <class MakeSource>
Table read_table(const MakeSource& make_source, const CsvOptions& options) {
  std::vector<std::string> text_columns = options.text_columns;
  for (;;) {
    CsvParser parser(make_source(), options.delimiter);
    if (!options.columns.empty()) parser.select(places_of(parser, options.columns));
    auto builders = builders_for(parser, text_columns);
    while (const Index rows = parser.fill(kBlockRows, kBlockBytes))
      append_block(parser, builders, rows);
    if (parser.first_row_number() == 1)
      throw DataError(parser.source() + ": there are no rows below the header");
    // Seldom: a column that began with thousands of numbers is text. Read once more, now knowing
    // it.
    const std::size_t known = text_columns.size();
    for (std::size_t j = 0; j < builders.size(); ++j)
      if (builders[j].must_be_text()) text_columns.push_back(parser.names()[parser.selected()[j]]);
    if (text_columns.size() == known) return finish(std::move(builders), Table(parser.source()));
  }
}

}  // namespace

Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options) {
  return read_table([&] { return data::text_source(text, source); }, options);
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  if (data::can_be_read_again(path))
    return read_table([&] { return data::open_source(path); }, options);
  const auto source = data::open_source(path);
  const std::string bytes = data::read_all(*source);
  return parse_csv(bytes, source->name(), options);
}

struct CsvReader::Impl {
  Impl(const std::string& path, char delimiter) : parser(data::open_source(path), delimiter) {}
  CsvParser parser;
  std::vector<std::string> text_columns;
};

CsvReader::CsvReader(const std::string& path, char delimiter)
    : impl_(std::make_unique<Impl>(path, delimiter)) {}
CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

const std::vector<std::string>& CsvReader::names() const { return impl_->parser.names(); }

void CsvReader::select(std::span<const std::string> columns,
                       std::span<const std::string> text_columns) {
  impl_->parser.select(places_of(impl_->parser, columns));
  impl_->text_columns.assign(text_columns.begin(), text_columns.end());
}

std::optional<Table> CsvReader::next(Index max_rows) {
  CsvParser& parser = impl_->parser;
  const Index rows = parser.fill(max_rows, kBlockBytes);
  if (rows == 0) return std::nullopt;
  Table table(parser.source(), parser.first_row_number());
  auto builders = builders_for(parser, impl_->text_columns);
  append_block(parser, builders, rows);
  return finish(std::move(builders), std::move(table));
}

}  // namespace ggpm
