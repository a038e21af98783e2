// The state behind a Mean: a sum of terms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/expression/columns.hpp"
#include "kernel/expression/value.hpp"

namespace ggpm::internal {

struct MeanState {
  struct Part {
    std::string name;
    Role role = Role::mean_level;
    kern::Values values = {.items = {kern::Value{.value = 0}}, .is_list = false};
  };
  struct Term {
    std::string name;
    std::vector<Part> parts;                 // constant: value; linear: weights, intercept
    std::vector<kern::Column> columns = {};  // of linear; empty: all
    std::vector<Index> chosen = {};          // the inputs of `columns`, from 0, once bound

    bool is_linear() const { return parts.size() == 2; }
    const kern::Values& level() const { return parts.back().values; }
    Index input(std::size_t weight) const {
      return chosen.empty() ? static_cast<Index>(weight) : chosen[weight];
    }
  };
  std::vector<Term> terms;  // none: zero
  Index dimensions = 0;     // of the inputs it is bound to
};

namespace kern {

// What a scalar of a mean is called: "mean.weights[1]", "mean.intercept", "mean#2.value".
struct MeanSlot {
  const MeanState::Term& term;
  const MeanState::Part& part;
  std::size_t element;
  std::string list;  // "mean.weights"
  std::string name() const {
    return part.values.is_list ? list + "[" + std::to_string(element + 1) + "]" : list;
  }
};

// visit(slot, value) for every scalar, in order.
template <class State, class Visit>
void for_each_mean_value(State& state, const Visit& visit) {
  std::size_t number = 0;
  for (auto& term : state.terms) {
    const std::string prefix = ++number == 1 ? "mean." : "mean#" + std::to_string(number) + ".";
    for (auto& part : term.parts)
      for (std::size_t i = 0; i < part.values.items.size(); ++i)
        visit(MeanSlot{term, part, i, prefix + part.name}, part.values.items[i]);
  }
}

MeanState parse_mean(std::string_view text);

}  // namespace kern
}  // namespace ggpm::internal
