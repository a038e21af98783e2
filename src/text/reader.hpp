// What hand-written readers of small languages share: they read a text from left to right, and say
// in which column something else was expected.
#pragma once

#include <string>
#include <string_view>

namespace ggpm::internal::text {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // All of these skip blanks first.
  std::size_t position();  // byte, for fail
  bool at_end();
  char peek();  // the next character, '\0' at the end
  bool accept(char c);
  bool accept_word(std::string_view word);
  std::string_view peek_word();  // a name, empty if there is none
  std::string_view take_word();
  double number();  // finite or not; the caller judges

  // expect(')', open): "expected ')' to close the '(' of column 4, found ..."
  void expect(char c, std::string_view why);
  void expect_closing(char c, std::size_t opened_at);

  // The next thing, for messages: "'foo'" or "the end".
  std::string found();
  std::size_t column(std::size_t position) const;  // in characters, from 1
  // Throws, with the column of the position.
  [[noreturn]] virtual void fail(std::size_t position, const std::string& message) const = 0;

  // Counts what is open within each other; more than kMaxDepth is an error, so that no text can use
  // up the stack.
  static constexpr int kMaxDepth = 100;
  class Depth {
   public:
    Depth(Reader& reader, std::size_t position);
    ~Depth() { --reader_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Reader& reader_;
  };

 protected:
  std::string_view text_;
  std::size_t at_ = 0;

 private:
  void skip_blanks();

  int depth_ = 0;
};

bool is_blank(char c);
bool starts_word(char c);     // letters outside of ASCII too, so that messages show whole words
bool continues_word(char c);  // digits, too

}  // namespace ggpm::internal::text
