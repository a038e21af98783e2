#include "text/reader.hpp"

#include <cctype>
#include <charconv>

#include "text/text.hpp"

namespace ggpm::internal::text {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
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

char Reader::peek() { return at_end() ? '\0' : text_[at_]; }

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

std::string Reader::found() {
  if (at_end()) return "the end";
  const auto part = [&](std::size_t i) {
    return i < text_.size() && (continues_word(text_[i]) || text_[i] == '.');
  };
  std::size_t end = at_;
  while (part(end)) ++end;
  // A sign belongs to its number; anything else that starts no word is shown as it is.
  if (end == at_) {
    ++end;
    const bool sign = text_[at_] == '-' || text_[at_] == '+';
    while (sign && part(end)) ++end;
  }
  constexpr std::size_t kMaxShown = 28;  // the whole text is shown, too
  return "'" + shortened(text_.substr(at_, end - at_), kMaxShown, kMaxShown - 1) + "'";
}

std::size_t Reader::column(std::size_t position) const {
  return count_characters(text_.substr(0, position)) + 1;
}

Reader::Depth::Depth(Reader& reader, std::size_t position) : reader_(reader) {
  if (reader.depth_ == kMaxDepth)
    reader.fail(position, "nested more than " + std::to_string(kMaxDepth) + " deep");
  ++reader.depth_;
}

}  // namespace ggpm::internal::text
