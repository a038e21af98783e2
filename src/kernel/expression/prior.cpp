#include "ggpm/prior.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

constexpr double kOutside = -std::numeric_limits<double>::infinity();

double log_normal_density(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd) - 0.5 * std::log(2 * std::numbers::pi);
}

}  // namespace

double Prior::log_density(double value) const {
  if (kind == Kind::none) return 0;
  if (kind == Kind::normal) return log_normal_density(value, a, b);
  if (!(value > 0)) return kOutside;
  const double log_value = std::log(value);
  switch (kind) {
    case Kind::lognormal:
      return log_normal_density(log_value, a, b) - log_value;
    case Kind::gamma:
      return a * std::log(b) - boost::math::lgamma(a) + (a - 1) * log_value - b * value;
    default:  // inverse_gamma
      return a * std::log(b) - boost::math::lgamma(a) - (a + 1) * log_value - b / value;
  }
}

double Prior::derivative(double value) const {
  switch (kind) {
    case Kind::none:
      return 0;
    case Kind::normal:
      return (a - value) / (b * b);
    case Kind::lognormal:
      return ((a - std::log(value)) / (b * b) - 1) / value;
    case Kind::gamma:
      return (a - 1) / value - b;
    default:  // inverse_gamma
      return (b / value - (a + 1)) / value;
  }
}

std::string Prior::text() const {
  static constexpr const char* kNames[] = {"", "normal", "lognormal", "gamma", "inverse_gamma"};
  if (kind == Kind::none) return {};
  return std::string(kNames[static_cast<int>(kind)]) + "(" + text::shortest(a) + ", " +
         text::shortest(b) + ")";
}

}  // namespace ggpm
