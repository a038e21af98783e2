// The stack machine of formula_expression.hpp, and the functions that it has besides Boost's.
#pragma once

#include <boost/math/constants/constants.hpp>
#include <limits>

#include "likelihood/formula/expression.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal::formula {

using numeric::Derivs;
using numeric::root;

// x > 0; elsewhere NaN, also where Gamma is positive: a likelihood has no use for the other
// branches.
template <class Real>
Real log_gamma(const Real& x) {
  using std::log;
  const double at = root(x);
  if (!(at > 0 && at < 1e300)) return Real(std::numeric_limits<double>::quiet_NaN());
  return numeric::lgamma1p(x) - log(x);
}

template <class Real>
Real log_1_minus_exp(const Real& x) {
  if (!(root(x) < 0)) return Real(std::numeric_limits<double>::quiet_NaN());
  return numeric::log1mexp(x);
}

// With p + q = 1 and w = p q: p' = w, w' = w (q - p), (q - p)' = -2 w.
inline void logistic_derivs(double x, std::size_t, Derivs& d) {
  const double small = std::exp(-std::abs(x));
  const double large_side = 1 / (1 + small);
  const double small_side = small / (1 + small);
  const double w = large_side * small_side;
  const double r = std::copysign(std::tanh(std::abs(x) / 2), -x);  // q - p
  d = {x > 0 ? large_side : small_side, w, w * r, w * (r * r - 2 * w), w * r * (r * r - 8 * w)};
}

// t' = s = 1 - t^2, s' = -2 t s.
inline void tanh_derivs(double x, std::size_t, Derivs& d) {
  const double t = std::tanh(x);
  const double small = std::exp(-2 * std::abs(x));
  const double s = 4 * small / ((1 + small) * (1 + small));
  d = {t, s, -2 * t * s, s * (4 * t * t - 2 * s), 8 * t * s * (2 * s - t * t)};
}

template <class Real>
Real whole_power(const Real& x, double exponent) {
  Real power(1.0);
  Real square = x;
  for (auto n = static_cast<unsigned>(std::abs(exponent)); n != 0; n /= 2) {
    if (n % 2 == 1) power = power * square;
    if (n > 1) square = square * square;
  }
  return exponent < 0 ? Real(1 / power) : power;
}

template <class Real>
Real constant_power(const Real& x, double exponent) {
  return numeric::lift(x, [exponent](double at, std::size_t order, Derivs& d) {
    double factor = 1;
    for (std::size_t i = 0; i <= order; ++i) {
      const double left = exponent - static_cast<double>(i);
      d[i] = factor * std::pow(at, left);
      factor *= left;
    }
  });
}

// Whether repeated multiplication is the way to this power.
inline bool is_small_whole(double exponent) {
  return exponent == std::floor(exponent) && std::abs(exponent) <= 64;
}

template <class Real>
Real power_of_number(const Real& x, double exponent) {
  return is_small_whole(exponent) ? whole_power(x, exponent) : constant_power(x, exponent);
}

// x^e0 e^((e - e0) log x): its value has the bits of the power with a constant exponent, so that a formula
// and the same one with phi filled in are one function, where 1^infinity and (-2)^2 are no NaN.
template <class Real>
Real power(const Real& x, const Real& exponent) {
  using std::exp;
  using std::log;
  const double at = root(exponent);
  if constexpr (numeric::is_jet<Real>) {
    if (root(x) == 0 && at > 0) return Real(0.0);
    return power_of_number(x, at) * exp(Real((exponent - at) * log(x)));
  } else {
    return power_of_number(x, at);
  }
}

template <class Real>
Real apply_one(Op op, const Real& x, double number) {
  using std::exp;
  using std::log;
  using std::sqrt;
  switch (op) {
    case Op::negate:
      return -x;
    case Op::add_number:
      return x + number;
    case Op::number_minus:
      return number - x;
    case Op::times_number:
      return x * number;
    case Op::divided_by_number:
      return x / number;
    case Op::number_over:
      return number / x;
    case Op::whole_power:
      return whole_power(x, number);
    case Op::constant_power:
      return constant_power(x, number);
    case Op::exp:
      return exp(x);
    case Op::log:
      return log(x);
    case Op::log1p:
      return numeric::log1p(x);
    case Op::expm1:
      return numeric::expm1(x);
    case Op::sqrt:
      return sqrt(x);
    case Op::tanh:
      return numeric::lift(x, tanh_derivs);
    case Op::lgamma:
      return log_gamma(x);
    case Op::softplus:
      return numeric::softplus(x);
    case Op::log_softplus:
      return numeric::log_softplus(x);
    case Op::log_ndtr:
      return numeric::log_ndtr(x);
    case Op::log1mexp:
      return log_1_minus_exp(x);
    case Op::logistic:
      return numeric::lift(x, logistic_derivs);
    default:
      return x;
  }
}

template <class Real>
Real apply_two(Op op, const Real& x, const Real& y) {
  switch (op) {
    case Op::add:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
      return x / y;
    default:
      return power(x, y);
  }
}

template <class Real>
Real run(std::span<const Instruction> program, const Real& variable, const Real& phi, Real* stack) {
  std::size_t held = 0;
  for (const Instruction& i : program) {
    if (i.op == Op::number) {
      stack[held++] = Real(i.number);
    } else if (i.op == Op::variable) {
      stack[held++] = variable;
    } else if (i.op == Op::phi) {
      stack[held++] = phi;
    } else if (i.op >= Op::add) {
      --held;
      stack[held - 1] = apply_two(i.op, stack[held - 1], stack[held]);
    } else {
      stack[held - 1] = apply_one(i.op, stack[held - 1], i.number);
    }
  }
  return stack[0];
}

}  // namespace ggpm::internal::formula
