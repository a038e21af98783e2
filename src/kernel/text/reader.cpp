#include "kernel/text/reader.hpp"

#include <algorithm>

#include "text/text.hpp"

namespace ggpm::internal::kern {
namespace {

bool ends_bare_column(char c) {
  return text::is_blank(c) || std::string_view(",[]()='\"").find(c) != std::string_view::npos;
}

}  // namespace

Reader::Reader(std::string_view what, std::string_view text) : text::Reader(text), what_(what) {
  if (text.size() > kLongestText)
    throw UsageError(std::string(what) + ": the text has " + std::to_string(text.size()) +
                     " bytes; the limit is " + std::to_string(kLongestText));
}

bool Reader::at_quote() { return peek() == '\'' || peek() == '"'; }

std::string Reader::in_quotes() {
  const std::size_t start = position();
  const char quote = text_[at_++];
  std::string out;
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == quote) {
      ++at_;
      return out;
    }
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    out += text_[at_];
  }
  fail(start, "this quote is not closed");
}

std::string_view Reader::bare_column() {
  const std::size_t start = position();
  while (at_ < text_.size() && !ends_bare_column(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

void Reader::expect_end(std::string_view otherwise) {
  if (!at_end())
    fail(position(), "unexpected " + found() + "; expected " + std::string(otherwise) + "the end");
}

void Reader::fail(std::size_t position, const std::string& message) const {
  // Of a long text, what is around the mistake.
  constexpr std::size_t kShown = 40, kBefore = 25;
  std::size_t start = text_.size() > kShown && position > kBefore ? position - kBefore : 0;
  while (start > 0 && (static_cast<unsigned char>(text_[start]) & 0xC0) == 0x80) --start;
  throw UsageError(std::string(what_) + " '" + (start > 0 ? "…" : "") +
                   harmless(text_.substr(start), "", kShown) + "': column " +
                   std::to_string(column(position)) + ": " + message);
}

void read_arguments(Reader& reader,
                    std::string_view owner,
                    std::span<const std::string> names,
                    std::size_t positional,
                    const std::function<void(std::size_t, std::size_t)>& setting) {
  const std::size_t opened_at = reader.position();
  if (!reader.accept('(') || reader.accept(')')) return;
  std::vector<bool> given(names.size());
  bool named = false;
  std::size_t next = 0;
  do {
    const std::size_t start = reader.position();
    const std::string_view word = reader.peek_word();
    const bool is_value =
        word.empty() || word == "fixed" || word == "nan" || word == "inf" || word == "infinity";
    std::size_t index = next++;
    if (!is_value) {
      index = static_cast<std::size_t>(std::find(names.begin(), names.end(), word) - names.begin());
      if (index == names.size())
        reader.fail(start, "unknown parameter " + reader.found() + text::suggestion(word, names));
      reader.take_word();
      reader.expect('=', "after " + names[index]);
      named = true;
    } else if (named) {
      reader.fail(start, "an argument without a name after one with a name");
    } else if (index >= positional) {
      reader.fail(start,
                  std::string(owner) + " takes at most " + std::to_string(positional) +
                      (positional == 1 ? " value: " : " values: ") +
                      text::listed(names.first(positional)));
    }
    if (given[index]) reader.fail(start, names[index] + " is given twice");
    given[index] = true;
    setting(index, start);
  } while (reader.accept(','));
  reader.expect_closing(')', opened_at);
}

}  // namespace ggpm::internal::kern
