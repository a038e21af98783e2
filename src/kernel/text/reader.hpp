// Reads the text of kernels and means, character by character; every error is a UsageError that
// points at the column.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "kernel/expression/value.hpp"

namespace ggpm::kern {

class Reader {
 public:
  static constexpr std::size_t kLongestText = std::size_t{1} << 20;

  Reader(std::string_view what, std::string_view text);  // what: "kernel" or "mean"

  // All of these skip blanks first.
  std::size_t position();  // byte, for fail
  bool at_end();
  bool at_quote();
  bool accept(char c);
  bool accept_word(std::string_view word);
  std::string_view peek_word();  // a name, empty if there is none
  std::string_view take_word();
  double number();                 // finite or not; the caller judges
  std::string in_quotes();         // 'text' or "text", \ before a quote or backslash
  std::string_view bare_column();  // up to a blank, comma, bracket or quote; may be empty

  // expect(')', open): "expected ')' to close the '(' of column 4, found ..."
  void expect(char c, std::string_view why);
  void expect_closing(char c, std::size_t opened_at);
  void expect_end(std::string_view otherwise);

  // The next thing, for messages: "'foo'" or "the end".
  std::string found();
  std::size_t column(std::size_t position) const;  // in characters, from 1
  [[noreturn]] void fail(std::size_t position, const std::string& message) const;

  // Counts open parentheses and fixed(...); more than kDeepest is an error.
  class Depth {
   public:
    Depth(Reader& reader, std::size_t position);
    ~Depth() { --reader_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Reader& reader_;
  };

 private:
  void skip_blanks();

  std::string_view what_, text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// The arguments "(...)" of `owner`, if there are any: in the order of `names` (the first
// `positional` of them), then name=value. Calls setting(index in names, position of the argument)
// where a value is to be read.
void read_arguments(Reader& reader,
                    std::string_view owner,
                    std::span<const std::string> names,
                    std::size_t positional,
                    const std::function<void(std::size_t, std::size_t)>& setting);

// "2", "[1, fixed(2)]", "fixed([1, 2])", "2 in [1, 3] ~ gamma(2, 1)". `name` is for messages.
Values read_values(Reader& reader, std::string_view name, Sign sign);

}  // namespace ggpm::kern
