// columns=[year, 'sepal length', 3]: the inputs that a kernel or a mean looks at.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::internal::kern {

// A column as the user named it; `number` counts from 1, 0 means by name.
struct Column {
  std::string name;
  Index number = 0;
  friend bool operator==(const Column&, const Column&) = default;
};

std::string text(std::span<const Column> columns);  // as the parser reads it back

// The inputs of `columns`, from 0; a text column means all of its levels, and becomes them in
// `columns`. Calls refuse, which throws, with what is wrong.
std::vector<Index> resolve_columns(std::vector<Column>& columns,
                                   Index count,
                                   std::span<const std::string> names,
                                   const std::function<void(const std::string&)>& refuse);

// The same for those to whom inputs are quantities. The number of a level is none: it is left out
// where no columns are named, and refused where they are.
std::vector<Index> resolve_quantities(std::vector<Column>& columns,
                                      Index count,
                                      std::span<const std::string> names,
                                      const std::function<void(const std::string&)>& refuse);

}  // namespace ggpm::internal::kern
