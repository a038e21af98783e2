#include "likelihood/formula/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "ggpm/types.hpp"
#include "likelihood/formula/evaluate.hpp"

namespace ggpm::formula {
namespace {

struct Function {
  std::string_view name;
  Op op;
};
constexpr std::array<Function, 12> kFunctions = {{{"exp", Op::exp},
                                                  {"log", Op::log},
                                                  {"log1p", Op::log1p},
                                                  {"expm1", Op::expm1},
                                                  {"sqrt", Op::sqrt},
                                                  {"tanh", Op::tanh},
                                                  {"lgamma", Op::lgamma},
                                                  {"softplus", Op::softplus},
                                                  {"log_softplus", Op::log_softplus},
                                                  {"log_ndtr", Op::log_ndtr},
                                                  {"log1mexp", Op::log1mexp},
                                                  {"logistic", Op::logistic}}};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;  // so that messages show whole words
}

// Recursive descent that writes the program as it reads.
class Parser {
 public:
  Parser(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  Program parse() {
    sum();
    if (skip_blanks(); at_ < text_.size()) {
      fail(at_,
           found() + " is not expected here" +
               (text_[at_] == ')' ? "" : "; an operator is missing"));
    }
    return std::move(program_);
  }

 private:
  void sum() {
    product();
    for (;;) {
      const std::size_t position = place();
      const Op op = accept('+') ? Op::add : accept('-') ? Op::subtract : Op::number;
      if (op == Op::number) return;
      product();
      emit_binary(op, position);
    }
  }

  void product() {
    signed_power();
    for (;;) {
      const std::size_t position = place();
      const Op op = accept('*') ? Op::multiply : accept('/') ? Op::divide : Op::number;
      if (op == Op::number) return;
      signed_power();
      emit_binary(op, position);
    }
  }

  // -x^2 is -(x^2), and 2^-x needs no parentheses.
  void signed_power() {
    const std::size_t position = place();
    if (++depth_ > kDeepest) {
      fail(position, fmt::format("more than {} parentheses or signs within each other", kDeepest));
    }
    if (accept('-')) {
      signed_power();
      emit_unary(Op::negate, position, "-");
    } else {
      primary();
      const std::size_t sign = place();
      if (accept('^')) {
        signed_power();
        emit_binary(Op::power, sign);
      }
    }
    --depth_;
  }

  void primary() {
    const std::size_t position = place();
    if (at_ == text_.size()) fail(position, "a number or a name is missing at the end");
    const char c = text_[at_];
    if (is_digit(c) || c == '.') {
      number();
    } else if (starts_name(c)) {
      name();
    } else if (accept('(')) {
      sum();
      close(position);
    } else {
      fail(position, "expected a number, a name or '(', found " + found());
    }
  }

  void number() {
    const std::size_t position = at_;
    double value = 0;
    const auto [end, status] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (status != std::errc{} || !std::isfinite(value)) {
      fail(position, found() + " is not a number that a double can hold");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    program_.push({Op::number, value});
  }

  void name() {
    const std::size_t position = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(position, at_ - position);
    const auto function = std::find_if(
        kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == name; });
    const std::size_t open = place();
    const bool called = accept('(');
    if (function != kFunctions.end()) {
      if (!called) fail(position, fmt::format("'{0}' is a function; write {0}(...)", name));
      argument(name, position, open);
      emit_unary(function->op, position, name);
      return;
    }
    const bool variable = !scope_.variable.empty() && name == scope_.variable;
    const bool phi = scope_.phi && name == "phi";
    const bool constant = name == "pi" || name == "e";
    if (!variable && !phi && !constant) unknown(name, position);
    if (called) fail(open, fmt::format("'{}' is not a function; write * to multiply", name));
    if (variable) return program_.push({Op::variable, 0});
    if (phi) return program_.push({Op::phi, 0});
    program_.push(
        {Op::number,
         name == "e" ? boost::math::constants::e<double>() : boost::math::constants::pi<double>()});
  }

  // Every function has one argument.
  void argument(std::string_view name, std::size_t position, std::size_t open) {
    if (accept(')')) fail(position, fmt::format("'{}' needs 1 argument, found none", name));
    sum();
    const std::size_t end = place();
    if (accept(',')) fail(end, fmt::format("'{}' has 1 argument, found a second", name));
    close(open);
  }

  void close(std::size_t open) {
    const std::size_t position = place();
    if (!accept(')')) {
      fail(position,
           fmt::format("expected ')' to close the '(' of column {}, found {}", open + 1, found()));
    }
  }

  // --- the program
  void emit_unary(Op op, std::size_t position, std::string_view name) {
    const double operand = program_.number();
    program_.unary({op, 0});
    check_number(position, [&] { return fmt::format("{}({})", name, operand); });
  }
  void emit_binary(Op op, std::size_t position) {
    if (op == Op::divide && program_.ends_in_number() && program_.number() == 0) {
      fail(position, "division by zero");
    }
    program_.binary(op);
    check_number(position, [&] { return fmt::format("the result of '{}'", text_[position]); });
  }
  template <class What>
  void check_number(std::size_t position, const What& what) const {
    if (program_.ends_in_number() && !std::isfinite(program_.number())) {
      fail(position, fmt::format("{} is {}", what(), program_.number()));
    }
  }

  // --- the text
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  // Where the next token begins.
  std::size_t place() {
    skip_blanks();
    return at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string found() const {
    if (at_ >= text_.size()) return "the end";
    std::size_t end = at_ + 1;
    if (starts_name(text_[at_]) || is_digit(text_[at_])) {
      while (end < text_.size() && end < at_ + 40 &&
             (starts_name(text_[end]) || is_digit(text_[end]))) {
        ++end;
      }
    }
    const std::string_view token = text_.substr(at_, end - at_);
    const auto byte = static_cast<unsigned char>(token.front());
    return byte < 0x20 || byte == 0x7f ? fmt::format("byte {:#04x}", byte)
                                       : fmt::format("'{}'", token);
  }

  [[noreturn]] void unknown(std::string_view name, std::size_t position) const {
    std::string known;
    if (!scope_.variable.empty()) known += fmt::format("{}, ", scope_.variable);
    if (scope_.phi) known += "phi, ";
    known += "pi, e, and the functions ";
    for (const Function& f : kFunctions) {
      known += f.name;
      if (&f != &kFunctions.back()) known += ", ";
    }
    const bool elsewhere = name == "y" || name == "eta" || name == "theta" || name == "phi";
    fail(position,
         fmt::format("{} '{}'; known are {}",
                     elsewhere ? "this formula does not depend on" : "unknown name",
                     name.substr(0, 40),
                     known));
  }

  [[noreturn]] void fail(std::size_t position, const std::string& message) const {
    throw UsageError(fmt::format("{}, column {}: {}", scope_.where, position + 1, message));
  }

  std::string_view text_;
  const Scope& scope_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Program program_;
};

// Names, numbers and signs, counted without looking at what they say.
std::size_t count_tokens(std::string_view text) {
  const auto part_of_word = [](char c) { return starts_name(c) || is_digit(c) || c == '.'; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_blank(text[i])) continue;
    if (i == 0 || !part_of_word(text[i]) || !part_of_word(text[i - 1])) ++count;
  }
  return count;
}

}  // namespace

Expression Expression::parse(std::string_view text, const Scope& scope) {
  const std::size_t tokens = count_tokens(text);
  if (tokens > kMostTokens) {
    throw UsageError(
        fmt::format("{}, column 1: the formula has {} names, numbers and signs; the limit is {}",
                    scope.where,
                    tokens,
                    kMostTokens));
  }
  Expression out;
  out.text_ = text;
  out.program_ = Parser(text, scope).parse();
  return out;
}

}  // namespace ggpm::formula
