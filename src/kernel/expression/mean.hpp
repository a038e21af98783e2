// The state behind a Mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/expression/value.hpp"

namespace ggpm::internal {

struct MeanState {
  struct Part {
    std::string name;
    Role role = Role::mean_level;
    kern::Values values = {.items = {kern::Value{.value = 0}}, .is_list = false};
  };
  std::string name;
  std::vector<Part> parts;  // constant: value; linear: weights, intercept
  Index dimensions = 0;     // of a bound linear mean

  bool is_linear() const { return parts.size() == 2; }
};

namespace kern {

// visit(part, element, value) for every scalar, in order.
template <class State, class Visit>
void for_each_mean_value(State& state, const Visit& visit) {
  for (auto& part : state.parts)
    for (std::size_t i = 0; i < part.values.items.size(); ++i) visit(part, i, part.values.items[i]);
}

// "mean.weights[1]", ..., "mean.intercept".
inline std::string mean_value_name(const MeanState::Part& part, std::size_t element) {
  return "mean." + part.name + (part.values.is_list ? "[" + std::to_string(element + 1) + "]" : "");
}

MeanState parse_mean(std::string_view text);

}  // namespace kern
}  // namespace ggpm::internal
