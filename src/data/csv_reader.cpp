#include <optional>

#include "data/byte_source.hpp"
#include "data/column_builder.hpp"
#include "data/csv_parser.hpp"
#include "data/table_parts.hpp"
#include "ggpm/data.hpp"

namespace ggpm {

using namespace internal;

namespace {

using data::ColumnBuilder;
using data::CsvParser;

Table finish(std::vector<ColumnBuilder> builders, Table table) {
  for (ColumnBuilder& builder : builders) table.add_column(std::move(builder).finish());
  return table;
}

template <class MakeSource>
Table read_table(const MakeSource& make_source, const CsvOptions& options) {
  std::vector<std::string> text_columns = options.text_columns;
  for (;;) {
    CsvParser parser(make_source(), options.delimiter);
    if (!options.columns.empty()) select_columns(parser, options.columns);
    auto builders = read_columns(parser, text_columns);
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
  if (std::optional<Table> table = data::read_together(path, options)) return *std::move(table);
  if (data::can_be_read_again(path))
    return read_table([&] { return data::open_source(path); }, options);
  const auto source = data::open_source(path);
  const std::string bytes = data::read_all(*source);
  return parse_csv(bytes, source->name(), options);
}

struct CsvReader::Impl {
  Impl(const std::string& path, char delimiter)
      : together(data::open_table_together(path, delimiter)),
        parser(together ? std::move(together->header)
                        : std::make_unique<CsvParser>(data::open_source(path), delimiter)) {}

  Index fill(Index max_rows) {
    while (together && parser->lacks(max_rows, data::kBlockBytes))
      if (!together->append_to(*parser)) together.reset();
    return parser->fill(max_rows, data::kBlockBytes);
  }

  std::optional<data::SharedTable> together;
  std::unique_ptr<CsvParser> parser;
  std::vector<std::string> text_columns;
};

CsvReader::CsvReader(const std::string& path, char delimiter)
    : impl_(std::make_unique<Impl>(path, delimiter)) {}
CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

const std::vector<std::string>& CsvReader::names() const { return impl_->parser->names(); }

void CsvReader::select(std::span<const std::string> columns,
                       std::span<const std::string> text_columns) {
  data::select_columns(*impl_->parser, columns);
  impl_->text_columns.assign(text_columns.begin(), text_columns.end());
}

std::optional<Table> CsvReader::next(Index max_rows) {
  CsvParser& parser = *impl_->parser;
  const Index rows = impl_->fill(max_rows);
  if (rows == 0) return std::nullopt;
  Table table(parser.source(), parser.first_row_number());
  auto builders = builders_for(parser, impl_->text_columns);
  append_block(parser, builders, rows);
  return finish(std::move(builders), std::move(table));
}

}  // namespace ggpm
