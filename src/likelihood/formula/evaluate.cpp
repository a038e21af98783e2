#include "likelihood/formula/evaluate.hpp"

#include <algorithm>
#include <array>

namespace ggpm::internal::formula {

void Program::push(const Instruction& instruction) {
  begins_.push_back(code_.size());
  code_.push_back(instruction);
  stack_ = std::max(stack_, begins_.size());
}

void Program::unary(const Instruction& instruction) {
  if (ends_in_number()) {
    code_.back().number = apply_one(instruction.op, number(), instruction.number);
  } else {
    code_.push_back(instruction);
  }
}

void Program::binary(Op op) {
  const std::size_t right = begins_.back();
  begins_.pop_back();
  const bool number_left = right - begins_.back() == 1 && code_[right - 1].op == Op::number;
  const double x = code_[right - 1].number;
  const double y = number();
  if (ends_in_number()) {
    code_.pop_back();
    Instruction instruction{op, y};
    switch (op) {
      case Op::add:
        instruction.op = Op::add_number;
        break;
      case Op::subtract:
        instruction = {Op::add_number, -y};
        break;
      case Op::multiply:
        instruction.op = Op::times_number;
        break;
      case Op::divide:
        instruction.op = Op::divided_by_number;
        break;
      default:
        instruction.op = is_small_whole(y) ? Op::whole_power : Op::constant_power;
    }
    unary(instruction);
  } else if (number_left && op != Op::power) {
    code_.erase(code_.begin() + static_cast<std::ptrdiff_t>(right - 1));
    code_.push_back({op == Op::add        ? Op::add_number
                     : op == Op::subtract ? Op::number_minus
                     : op == Op::multiply ? Op::times_number
                                          : Op::number_over,
                     x});
  } else {
    code_.push_back({op, 0});
  }
}

Expression Expression::at_phi(double phi) const {
  Expression out;
  for (const Instruction& i : program_.code()) {
    if (i.op <= Op::phi) {
      out.program_.push(i.op == Op::phi ? Instruction{Op::number, phi} : i);
    } else if (i.op < Op::add) {
      out.program_.unary(i);
    } else {
      out.program_.binary(i.op);
    }
  }
  return out;
}

bool Expression::uses_phi() const {
  return std::ranges::any_of(program_.code(), [](const Instruction& i) { return i.op == Op::phi; });
}

bool Expression::uses_variable() const {
  return std::ranges::any_of(program_.code(),
                             [](const Instruction& i) { return i.op == Op::variable; });
}

template <class Real>
Real Expression::evaluate(const Real& variable, const Real& phi) const {
  constexpr std::size_t kUsual = 8;
  if (program_.stack() <= kUsual) {
    std::array<Real, kUsual> stack;
    return run(program_.code(), variable, phi, stack.data());
  }
  std::vector<Real> stack(program_.stack());
  return run(program_.code(), variable, phi, stack.data());
}

template double Expression::evaluate(const double&, const double&) const;
template numeric::Jet1 Expression::evaluate(const numeric::Jet1&, const numeric::Jet1&) const;
template numeric::Jet2 Expression::evaluate(const numeric::Jet2&, const numeric::Jet2&) const;
template numeric::Jet3 Expression::evaluate(const numeric::Jet3&, const numeric::Jet3&) const;
template numeric::Jet31 Expression::evaluate(const numeric::Jet31&, const numeric::Jet31&) const;

}  // namespace ggpm::internal::formula
