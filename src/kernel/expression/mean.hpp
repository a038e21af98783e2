// The state behind a Mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/expression/value.hpp"

namespace ggpm {

struct MeanState {
  struct Part {
    std::string name;
    kern::Values values = {.items = {kern::Value{.value = 0}}, .is_list = false};
  };
  std::string name;
  std::vector<Part> parts;  // constant: value; linear: weights, intercept
  Index dimensions = 0;     // of a bound linear mean

  bool is_linear() const { return parts.size() == 2; }
};

namespace kern {

// visit(name, value) for every scalar: "mean.weights[1]", ..., "mean.intercept".
template <class State, class Visit>
void for_each_mean_value(State& state, const Visit& visit) {
  for (auto& part : state.parts)
    for (std::size_t i = 0; i < part.values.items.size(); ++i)
      visit("mean." + part.name + (part.values.is_list ? "[" + std::to_string(i + 1) + "]" : ""),
            part.values.items[i]);
}

MeanState parse_mean(std::string_view text);

}  // namespace kern
}  // namespace ggpm
