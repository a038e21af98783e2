#include "likelihood/formula/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ggpm/types.hpp"
#include "likelihood/formula/evaluate.hpp"
#include "text/reader.hpp"
#include "text/text.hpp"

namespace ggpm::internal::formula {
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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Recursive descent that writes the program as it reads.
class Parser final : private text::Reader {
 public:
  Parser(std::string_view text, const Scope& scope) : text::Reader(text), scope_(scope) {}

  Program parse() {
    sum();
    if (!at_end()) {
      fail(at_,
           found() + " is not expected here" + (peek() == ')' ? "" : "; an operator is missing"));
    }
    return std::move(program_);
  }

 private:
  void sum() {
    product();
    for (;;) {
      const std::size_t sign = position();
      const Op op = accept('+') ? Op::add : accept('-') ? Op::subtract : Op::number;
      if (op == Op::number) return;
      product();
      emit_binary(op, sign);
    }
  }

  void product() {
    signed_power();
    for (;;) {
      const std::size_t sign = position();
      const Op op = accept('*') ? Op::multiply : accept('/') ? Op::divide : Op::number;
      if (op == Op::number) return;
      signed_power();
      emit_binary(op, sign);
    }
  }

  // -x^2 is -(x^2), and 2^-x needs no parentheses.
  void signed_power() {
    const std::size_t start = position();
    const Depth depth(*this, start);
    if (accept('-')) {
      signed_power();
      emit_unary(Op::negate, start, "-");
      return;
    }
    primary();
    const std::size_t sign = position();
    if (accept('^')) {
      signed_power();
      emit_binary(Op::power, sign);
    }
  }

  void primary() {
    const std::size_t start = position();
    if (at_end()) fail(start, "a number or a name is missing at the end");
    const char c = peek();
    if (is_digit(c) || c == '.') {
      program_.push({Op::number, number()});
    } else if (text::starts_word(c)) {
      name();
    } else if (accept('(')) {
      sum();
      expect_closing(')', start);
    } else {
      fail(start, "expected a number, a name or '(', found " + found());
    }
  }

  void name() {
    const std::size_t start = position();
    const std::string_view name = take_word();
    const auto function = std::find_if(
        kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == name; });
    const std::size_t open = position();
    const bool called = accept('(');
    if (function != kFunctions.end()) {
      if (!called) fail(start, fmt::format("'{0}' is a function; write {0}(...)", name));
      argument(name, start, open);
      emit_unary(function->op, start, name);
      return;
    }
    const bool variable = !scope_.variable.empty() && name == scope_.variable;
    const bool phi = scope_.phi && name == "phi";
    const bool constant = name == "pi" || name == "e";
    if (!variable && !phi && !constant) unknown(name, start);
    if (called) fail(open, fmt::format("'{}' is not a function; write * to multiply", name));
    if (variable) return program_.push({Op::variable, 0});
    if (phi) return program_.push({Op::phi, 0});
    program_.push(
        {Op::number,
         name == "e" ? boost::math::constants::e<double>() : boost::math::constants::pi<double>()});
  }

  // Every function has one argument.
  void argument(std::string_view name, std::size_t start, std::size_t open) {
    if (accept(')')) fail(start, fmt::format("'{}' needs 1 argument, found none", name));
    sum();
    const std::size_t end = position();
    if (accept(',')) fail(end, fmt::format("'{}' has 1 argument, found a second", name));
    expect_closing(')', open);
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
         fmt::format("{} {}; known are {}",
                     elsewhere ? "this formula does not depend on" : "unknown name",
                     in_quotes(name),
                     known));
  }

  [[noreturn]] void fail(std::size_t position, const std::string& message) const override {
    throw UsageError(fmt::format("{}, column {}: {}", scope_.where, column(position), message));
  }

  const Scope& scope_;
  Program program_;
};

// Names, numbers and signs, counted without looking at what they say.
std::size_t count_tokens(std::string_view text) {
  const auto part_of_word = [](char c) { return text::continues_word(c) || c == '.'; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text::is_blank(text[i])) continue;
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

}  // namespace ggpm::internal::formula
