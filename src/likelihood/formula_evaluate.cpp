#include "likelihood/formula_evaluate.hpp"

#include <algorithm>
#include <array>

namespace ggpm::formula {

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

}  // namespace ggpm::formula
