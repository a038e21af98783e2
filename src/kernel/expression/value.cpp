#include "kernel/expression/value.hpp"

#include <algorithm>
#include <cmath>

#include "text/text.hpp"

namespace ggpm::internal::kern {

std::string fault(double value, Sign sign) {
  if (!std::isfinite(value)) return "must be a finite number";
  if (sign == Sign::any) return {};
  if (value <= 0) return "must be positive";
  if (value < kSmallest || value > kLargest) return "must be between 1e-100 and 1e100";
  return {};
}

std::string fault(const Bounds& bounds, Sign sign) {
  for (const double end : {bounds.lower, bounds.upper})
    if (std::string found = fault(end, sign); !found.empty()) return found;
  if (bounds.lower > bounds.upper) return "must be in ascending order";
  return {};
}

void assign(Value& target, double value, Sign sign, std::string_view name) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(std::string(name) + " = " + text::shortest(value) + ": " + why);
  };
  if (const std::string found = fault(value, sign); !found.empty()) refuse("it " + found);
  if (target.bounds) {
    const double inside = std::clamp(value, target.bounds->lower, target.bounds->upper);
    if (std::abs(value - inside) > 1e-8 * std::abs(inside))
      refuse("its bounds are [" + text::shortest(target.bounds->lower) + ", " +
             text::shortest(target.bounds->upper) + "]");
    value = inside;
  }
  target.value = value;
}

void expand(Values& values, Index count) {
  if (values.is_list) return;
  values.items.resize(static_cast<std::size_t>(count), Value(values.items.front()));
  values.is_list = true;
}

Parameter to_parameter(
    const Value& value, std::string name, Sign sign, Bounds default_bounds, Role role) {
  const Bounds bounds = value.bounds.value_or(Bounds{std::min(default_bounds.lower, value.value),
                                                     std::max(default_bounds.upper, value.value)});
  return {.name = std::move(name),
          .value = value.value,
          .positive = sign == Sign::positive,
          .fixed = value.fixed,
          .lower = bounds.lower,
          .upper = bounds.upper,
          .role = role};
}

std::string text(const Value& value) {
  std::string out = text::shortest(value.value);
  if (value.bounds)
    out += " in [" + text::shortest(value.bounds->lower) + ", " +
           text::shortest(value.bounds->upper) + "]";
  if (value.prior.kind != Prior::Kind::none) out += " ~ " + value.prior.text();
  return value.fixed ? "fixed(" + out + ")" : out;
}

std::string text(const Values& values) {
  if (!values.is_list) return text(values.items.front());
  std::string out;
  for (const Value& item : values.items) out += (out.empty() ? "" : ", ") + text(item);
  return "[" + out + "]";
}

}  // namespace ggpm::internal::kern
