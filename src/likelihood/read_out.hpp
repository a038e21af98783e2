// From an autodiff number for log p(y | eta, phi) to the derivatives that it carries.
#pragma once

#include "ggpm/likelihood.hpp"
#include "numeric/autodiff.hpp"

namespace ggpm::internal {

// In eta alone: a Jet2 or a Jet3.
template <class Jet>
void read_out(const Jet& l, LogDensity& out) {
  using numeric::derivative;
  out.value = derivative(l, 0);
  out.d1 = derivative(l, 1);
  out.d2 = derivative(l, 2);
  if constexpr (numeric::order_of<Jet>() > 2) out.d3 = derivative(l, 3);
}

// In eta and in dispersion parameter k.
inline void read_out(const numeric::Jet31& l, std::size_t k, LogDensity& out) {
  using numeric::derivative;
  out.value = derivative(l, 0, 0);
  out.d1 = derivative(l, 1, 0);
  out.d2 = derivative(l, 2, 0);
  out.d3 = derivative(l, 3, 0);
  out.dphi[k] = derivative(l, 0, 1);
  out.d1_dphi[k] = derivative(l, 1, 1);
  out.d2_dphi[k] = derivative(l, 2, 1);
}

}  // namespace ggpm::internal
