#include "data/table_parts.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "data/column_builder.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal::data {
namespace {

// Of a window: enough to pay for the messages, little enough for any memory.
constexpr Index kWindowBytesOfRank = Index{1} << 18;
constexpr Index kWindowBytes = Index{1} << 24;

std::size_t own_rank() { return static_cast<std::size_t>(ranks_in_step()->rank()); }

// Rows of one rank, who may not know that a blank line is followed by rows of another.
void require_whole(const CsvParser& part) {
  if (part.names().size() == 1 && part.ends_in_blank_line())
    throw DataError(part.source() + ": a blank line ends a part");
}

// What the part of a column is: n numbers, t text, m text that was taken for numbers at first.
std::string kinds_of(const std::vector<ColumnBuilder>& builders) {
  std::string kinds;
  for (const ColumnBuilder& builder : builders) {
    const Column& column = builder.column();
    const bool text = column.is_text && column.rows() > 0;
    kinds += builder.must_be_text() ? 'm' : text ? 't' : column.rows() > 0 ? 'n' : '-';
  }
  return kinds;
}

// Columns that are text in some part, and not yet in every one.
std::vector<std::string> half_text(const std::vector<std::string>& kinds_by_rank,
                                   const std::vector<ColumnBuilder>& builders) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < builders.size(); ++j) {
    const auto any = [&](char kind) {
      return std::any_of(kinds_by_rank.begin(), kinds_by_rank.end(), [&](const std::string& kinds) {
        return kinds[j] == kind;
      });
    };
    if (any('m') || (any('t') && any('n'))) names.push_back(builders[j].column().name);
  }
  return names;
}

// Numbers and texts, one after the other.
class Letter {
 public:
  void add(Index number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(std::string_view text) {
    add(std::ssize(text));
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};
class LetterReader {
 public:
  explicit LetterReader(std::string_view bytes) : rest_(bytes) {}
  Index number() {
    Index number = 0;
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return number;
  }
  std::string_view text() {
    const auto size = static_cast<std::size_t>(number());
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view rest_;
};

// What a part of a column knows besides its rows.
void describe(const Column& part, Letter& letter) {
  letter.add(part.is_text ? 1 : 0);
  letter.add(part.first_infinite);
  letter.add(part.first_infinite_cell);
  letter.add(part.first_rounded);
  letter.add(part.first_rounded_cell);
  letter.add(std::ssize(part.levels));
  for (const std::string& level : part.levels) letter.add(level);
}

void take_first(Index first, std::string_view cell, Index begin, Index& row, std::string& taken) {
  if (first < 0 || row >= 0) return;
  row = begin + first;
  taken = cell;
}

// The column of all rows, but for these; and the codes that the levels of this rank's part have in it.
Column join(std::string name,
            std::vector<LetterReader>& letters,
            const std::vector<Index>& borders,
            std::vector<double>& own_codes) {
  Column out{.name = std::move(name)};
  std::unordered_map<std::string_view, std::size_t> code_of;
  for (std::size_t r = 0; r < letters.size(); ++r) {
    LetterReader& letter = letters[r];
    out.is_text = letter.number() != 0 || out.is_text;
    const Index infinite = letter.number();
    take_first(infinite, letter.text(), borders[r], out.first_infinite, out.first_infinite_cell);
    const Index rounded = letter.number();
    take_first(rounded, letter.text(), borders[r], out.first_rounded, out.first_rounded_cell);
    for (Index left = letter.number(); left > 0; --left) {
      const std::string_view level = letter.text();
      const auto [known, is_new] = code_of.try_emplace(level, out.levels.size());
      if (is_new) out.levels.emplace_back(level);
      if (r == own_rank()) own_codes.push_back(static_cast<double>(known->second));
    }
  }
  return out;
}

// The table of all parts: a level, or a cell of which one is to be told, is the first in the file.
Table gather(const std::string& source, std::vector<Column> parts) {
  Letter letter;
  letter.add(parts.front().rows());
  for (const Column& part : parts) describe(part, letter);
  const std::vector<std::string> texts = texts_of_all_ranks(letter.bytes());
  std::vector<LetterReader> letters(texts.begin(), texts.end());
  std::vector<Index> borders{0};
  for (LetterReader& of : letters) borders.push_back(borders.back() + of.number());

  Table table(source);
  for (Column& part : parts) {
    std::vector<double> own_codes;
    Column whole = join(part.name, letters, borders, own_codes);
    std::vector<double> rows(static_cast<std::size_t>(borders.back()));
    const auto own = rows.begin() + borders[own_rank()];
    if (whole.is_text)
      std::transform(part.codes.begin(), part.codes.end(), own, [&](std::int32_t code) {
        return code < 0 ? -1 : own_codes[static_cast<std::size_t>(code)];
      });
    else
      std::copy(part.numbers.begin(), part.numbers.end(), own);
    part = Column();
    ranks_in_step()->gather_all(rows, borders);
    if (whole.is_text)
      whole.codes.assign(rows.begin(), rows.end());
    else
      whole.numbers = std::move(rows);
    table.add_column(std::move(whole));
  }
  return table;
}

}  // namespace

std::optional<SharedTable> open_table_together(const std::string& path, char delimiter) {
  SharedTable table{.file = open_together(path),
                    .header = nullptr,
                    .place = 0,
                    .window = std::min(kWindowBytes, kWindowBytesOfRank * rank_count())};
  if (!table.file) return std::nullopt;
  const SharedFile& file = *table.file;
  const auto read_header = [&] {
    table.header = std::make_unique<CsvParser>(part_of(table.file, 0, file.size()), delimiter);
    table.header->read_no_more();
    Index& place = table.place = static_cast<Index>(table.header->header_bytes());
    if (place < file.size() && file.byte(place - 1) == '\r' && file.byte(place) == '\n') ++place;
    return std::string();
  };
  if (!told_by_all(read_header)) return std::nullopt;
  return table;
}

std::optional<Table> read_together(const std::string& path, const CsvOptions& options) {
  const std::optional<SharedTable> shared = open_table_together(path, options.delimiter);
  if (!shared) return std::nullopt;
  CsvParser& header = *shared->header;
  if (!options.columns.empty()) select_columns(header, options.columns);
  const std::vector<Index> cuts =
      cut_between_rows(*shared->file, shared->place, shared->file->size());
  if (cuts.empty()) return std::nullopt;

  std::vector<std::string> text_columns = options.text_columns;
  std::vector<ColumnBuilder> builders;
  const auto read_part = [&] {
    const std::size_t own = own_rank();
    CsvParser part(part_of(shared->file, cuts[own], cuts[own + 1]), header);
    builders = read_columns(part, text_columns);
    require_whole(part);
    return kinds_of(builders);
  };
  std::optional<std::vector<std::string>> kinds = told_by_all(read_part);
  if (!kinds) return std::nullopt;
  // A column that is text in one part only is read once more, now knowing it.
  if (const std::vector<std::string> names = half_text(*kinds, builders); !names.empty()) {
    text_columns.insert(text_columns.end(), names.begin(), names.end());
    kinds = told_by_all(read_part);
    if (!kinds) return std::nullopt;
  }
  const bool any_row = std::any_of(kinds->begin(), kinds->end(), [](const std::string& of) {
    return of.find_first_not_of('-') != of.npos;
  });
  if (!any_row) return std::nullopt;
  std::vector<Column> parts;
  parts.reserve(builders.size());
  for (ColumnBuilder& builder : builders) parts.push_back(std::move(builder).finish());
  return gather(path, std::move(parts));
}

bool SharedTable::append_to(CsvParser& queue) {
  if (place >= file->size()) return false;
  const std::vector<Index> cuts =
      cut_between_rows(*file, place, std::min(file->size(), place + window));
  std::optional<std::vector<std::string>> parts;
  if (!cuts.empty())
    parts = told_by_all([&] {
      const std::size_t own = own_rank();
      CsvParser part(part_of(file, cuts[own], cuts[own + 1]), queue);
      part.fill(std::numeric_limits<Index>::max(), std::numeric_limits<std::size_t>::max());
      require_whole(part);
      return part.packed_queue();
    });
  if (!parts) {
    queue.read_on(open_source(file->path(), place));
    return false;
  }
  for (const std::string& part : *parts) queue.append_packed(part);
  place = cuts.back();
  return true;
}

}  // namespace ggpm::internal::data
