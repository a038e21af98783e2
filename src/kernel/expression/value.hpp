// The value of a parameter as the text form writes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/prior.hpp"
#include "ggpm/types.hpp"

namespace ggpm::internal::kern {

struct Bounds {
  double lower, upper;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// One scalar: "2", "fixed(2)", "2 in [1, 3]", "fixed(2 in [1, 3] ~ gamma(2, 1))".
struct Value {
  double value = 1;
  bool fixed = false;
  std::optional<Bounds> bounds = std::nullopt;  // given by the user
  Prior prior = {};
  friend bool operator==(const Value&, const Value&) = default;
};

// A scalar, or a list with one scalar for each input: "[1, fixed(2)]".
struct Values {
  std::vector<Value> items = {Value{}};
  bool is_list = false;
  bool given = false;  // by the user, in the units of the user
  friend bool operator==(const Values&, const Values&) = default;
};

enum class Sign { positive, any };

// Positive parameters stay where their squares and reciprocals cannot overflow.
inline constexpr double kSmallest = 1e-100, kLargest = 1e100;

// What is wrong with the number as a value of a parameter, empty if nothing: "must be positive".
std::string fault(double value, Sign sign);
std::string fault(const Bounds& bounds, Sign sign);

// A value that learning proposes: checked, and put onto a bound that it misses by rounding. Throws
// UsageError that names the parameter.
void assign(Value& target, double value, Sign sign, std::string_view name);

// One becomes `count` equal ones; a list keeps its length.
void expand(Values& values, Index count);

Parameter to_parameter(
    const Value& value, std::string name, Sign sign, Bounds default_bounds, Role role);

std::string text(const Value& value);
std::string text(const Values& values);

}  // namespace ggpm::internal::kern
