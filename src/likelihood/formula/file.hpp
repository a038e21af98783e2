// A likelihood as a TOML text:
//
//   [likelihood]
//   domain = "count"        # real, positive, count, binary, proportion
//   a = "1"                 # a(phi)
//   b = "exp(theta)"        # b(theta, phi)
//   c = "-lgamma(y+1)"      # c(phi, y)
//   T = "y"                 # T(y)
//   theta = "eta"           # theta(eta, phi)
//   name = "my-poisson"     # optional
//   dispersion = 0.5        # optional: where phi starts
#pragma once

#include "ggpm/likelihood.hpp"
#include "likelihood/formula/expression.hpp"

namespace ggpm::internal::formula {

inline constexpr std::size_t kLongestText = std::size_t{1} << 16U;  // bytes of a file

// log p(y | eta) = (T(y) theta - b(theta, phi))/a(phi) + c(phi, y)                     (eqn:expo)
struct Functions {
  Expression a, b, c, T, theta;

  bool uses_phi() const { return a.uses_phi() || b.uses_phi() || c.uses_phi() || theta.uses_phi(); }
  Functions at_phi(double phi) const {
    return {a.at_phi(phi), b.at_phi(phi), c.at_phi(phi), T, theta.at_phi(phi)};
  }
};

struct Formula : Functions {
  std::string where;  // for messages: the path, or "formula"
  std::string name = "formula";
  Domain domain = Domain::real;
  double dispersion = 1;
};

// UsageError with `where` for whatever is not such a text.
Formula parse_formula(std::string_view text, const std::string& where);

// The text of a file. UsageError if it cannot be read or is longer than kLongestText.
std::string read_formula(const std::string& path);

}  // namespace ggpm::internal::formula
