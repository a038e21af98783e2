// One formula of a user-defined likelihood: text, parsed once into a short program for a stack
// machine, evaluated on doubles and autodiff numbers. Nothing else can happen in it: no
// assignments, no loops, no files.
//
//   1.5e-3  pi  e  x + y  x - y  x * y  x / y  x ^ y  -x  (x)  lgamma(x)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ggpm::internal::formula {

inline constexpr std::size_t kMostTokens = 2000;  // of one expression

enum class Op : std::uint8_t {
  number,  // pushes
  variable,
  phi,
  negate,  // one operand
  add_number,
  number_minus,
  times_number,
  divided_by_number,
  number_over,
  whole_power,
  constant_power,
  exp,
  log,
  log1p,
  expm1,
  sqrt,
  tanh,
  lgamma,
  softplus,
  log_softplus,
  log_ndtr,
  log1mexp,
  logistic,
  add,  // two operands
  subtract,
  multiply,
  divide,
  power,
};

struct Instruction {
  Op op = Op::number;
  double number = 0;
  bool operator==(const Instruction&) const = default;
};

// What a formula may speak of: one variable (y, theta, eta, or none) and perhaps phi.
struct Scope {
  std::string_view where;     // for messages: "my.toml: field 'b'"
  std::string_view variable;  // empty: none
  bool phi = false;
};

// Writes a program, operands before operators. Arithmetic with numbers is done at once, or becomes
// an instruction that carries its number: autodiff numbers are costly constants.
class Program {
 public:
  void push(const Instruction& instruction);
  void unary(const Instruction& instruction);
  void binary(Op op);
  bool ends_in_number() const { return code_.back().op == Op::number; }  // then it is nothing else
  double number() const { return code_.back().number; }
  std::span<const Instruction> code() const { return code_; }
  std::size_t stack() const { return stack_; }  // the most numbers that are held at once
  bool operator==(const Program& other) const { return code_ == other.code_; }

 private:
  std::vector<Instruction> code_;
  std::vector<std::size_t> begins_;  // of the operands that are waiting
  std::size_t stack_ = 0;
};

class Expression {
 public:
  Expression() = default;
  // UsageError: "my.toml: field 'b', column 5: unknown name 'thta'; known are theta, ..."
  static Expression parse(std::string_view text, const Scope& scope);

  // double, Jet1, Jet2, Jet3, Jet31 (numeric/autodiff.hpp). Outside of a function's domain the
  // result is NaN.
  template <class Real>
  Real evaluate(const Real& variable, const Real& phi) const;

  // The same function of its variable for one value of phi, with fewer instructions.
  Expression at_phi(double phi) const;

  const std::string& text() const { return text_; }
  bool uses_phi() const;
  bool uses_variable() const;
  // The same program, whatever the spelling: "exp( theta )" and "exp(theta)".
  bool operator==(const Expression& other) const { return program_ == other.program_; }

 private:
  std::string text_;
  Program program_;
};

}  // namespace ggpm::internal::formula
