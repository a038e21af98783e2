// What is believed of a parameter before the data.
#pragma once

#include <string>
#include <string_view>

namespace ggpm {

// A density of the parameter itself (not of its logarithm); learning adds log_density to the log
// marginal. Written "~ gamma(2, 1)" behind a value in the text of a kernel or mean.
struct Prior {
  enum class Kind {
    none,
    normal,         // normal(mean, sd), cut at 0 for a positive parameter, not renormalized
    lognormal,      // lognormal(mean, sd) of the logarithm
    gamma,          // gamma(shape, rate)
    inverse_gamma,  // inverse_gamma(shape, scale)
  };
  Kind kind = Kind::none;
  double a = 0, b = 1;  // in the order of the text

  double log_density(double value) const;  // none: 0; outside the support: -infinity
  double derivative(
      double value) const;   // d log_density / d value; d / d log(value) is value times it
  std::string text() const;  // "gamma(2, 1)"; none: empty
  static Prior parse(std::string_view text);  // UsageError names the column

  friend bool operator==(const Prior&, const Prior&) = default;
};

}  // namespace ggpm
