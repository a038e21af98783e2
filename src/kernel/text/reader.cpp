#include "kernel/text/reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "kernel/expression/node.hpp"
#include "kernel/text/words.hpp"

namespace ggpm::kern {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool starts_word(char c) {  // letters outside ASCII too, so that messages show whole words
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool ends_bare_column(char c) {
  return is_blank(c) || std::string_view(",[]()='\"").find(c) != std::string_view::npos;
}

}  // namespace

Reader::Reader(std::string_view what, std::string_view text) : what_(what), text_(text) {
  if (text.size() > kLongestText)
    throw UsageError(std::string(what) + ": the text has " + std::to_string(text.size()) +
                     " bytes; the limit is " + std::to_string(kLongestText));
}

void Reader::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

std::size_t Reader::position() {
  skip_blanks();
  return at_;
}

bool Reader::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

bool Reader::at_quote() { return !at_end() && (text_[at_] == '\'' || text_[at_] == '"'); }

bool Reader::accept(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool Reader::accept_word(std::string_view word) {
  if (peek_word() != word) return false;
  at_ += word.size();
  return true;
}

std::string_view Reader::peek_word() {
  if (at_end() || !starts_word(text_[at_])) return {};
  std::size_t end = at_;
  while (end < text_.size() && continues_word(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

std::string_view Reader::take_word() {
  const std::string_view word = peek_word();
  at_ += word.size();
  return word;
}

double Reader::number() {
  const std::size_t start = position();
  const bool plus = accept('+');  // from_chars reads no plus
  const char* const end = text_.data() + text_.size();
  double value = 0;
  const auto [stop, status] = std::from_chars(text_.data() + at_, end, value);
  if (status == std::errc::result_out_of_range) fail(start, found() + " is out of range");
  if (status != std::errc{} || (plus && *(text_.data() + at_) == '-')) {
    at_ = start;
    fail(start, "expected a number, found " + found());
  }
  at_ = static_cast<std::size_t>(stop - text_.data());
  return value;
}

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

void Reader::expect(char c, std::string_view why) {
  if (!accept(c))
    fail(position(),
         "expected '" + std::string(1, c) + "' " + std::string(why) + ", found " + found());
}

void Reader::expect_closing(char c, std::size_t opened_at) {
  expect(c,
         "to close the '" + std::string(1, text_[opened_at]) + "' of column " +
             std::to_string(column(opened_at)));
}

void Reader::expect_end(std::string_view otherwise) {
  if (!at_end())
    fail(position(), "unexpected " + found() + "; expected " + std::string(otherwise) + "the end");
}

std::string Reader::found() {
  if (at_end()) return "the end";
  std::size_t end = at_;
  while (end < text_.size() && (continues_word(text_[end]) || text_[end] == '.')) ++end;
  // A sign belongs to its number; anything else that starts no word is shown as it is.
  if (end == at_) {
    ++end;
    const bool sign = text_[at_] == '-' || text_[at_] == '+';
    while (sign && end < text_.size() && (continues_word(text_[end]) || text_[end] == '.')) ++end;
  }
  return "'" + printable(text_.substr(at_, end - at_), 20) + "'";
}

std::size_t Reader::column(std::size_t position) const {
  const auto starts_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  const auto before = std::count_if(
      text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(position), starts_character);
  return static_cast<std::size_t>(before) + 1;
}

void Reader::fail(std::size_t position, const std::string& message) const {
  // Of a long text, what is around the mistake.
  constexpr std::size_t kShown = 40, kBefore = 25;
  std::size_t start = text_.size() > kShown && position > kBefore ? position - kBefore : 0;
  while (start > 0 && (static_cast<unsigned char>(text_[start]) & 0xC0) == 0x80) --start;
  throw UsageError(std::string(what_) + " '" + (start > 0 ? "..." : "") +
                   printable(text_.substr(start), kShown) + "': column " +
                   std::to_string(column(position)) + ": " + message);
}

Reader::Depth::Depth(Reader& reader, std::size_t position) : reader_(reader) {
  if (reader.depth_ == kDeepest)
    reader.fail(position, "nested more than " + std::to_string(kDeepest) + " deep");
  ++reader.depth_;
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
        reader.fail(start, "unknown parameter " + reader.found() + suggestion(word, names));
      reader.take_word();
      reader.expect('=', "after " + names[index]);
      named = true;
    } else if (named) {
      reader.fail(start, "an argument without a name after one with a name");
    } else if (index >= positional) {
      reader.fail(start,
                  std::string(owner) + " takes at most " + std::to_string(positional) +
                      (positional == 1 ? " value: " : " values: ") +
                      listing(names.first(positional)));
    }
    if (given[index]) reader.fail(start, names[index] + " is given twice");
    given[index] = true;
    setting(index, start);
  } while (reader.accept(','));
  reader.expect_closing(')', opened_at);
}

}  // namespace ggpm::kern
