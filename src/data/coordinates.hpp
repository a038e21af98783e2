// Columns that are places in one space.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ggpm/data.hpp"

namespace ggpm::internal::data {

// By the names that people give them.
bool is_longitude(std::string_view name);
bool is_latitude(std::string_view name);

// Scaled one by one, a map that is wider than high would become square, and a kernel with one
// length-scale would not be isotropic on it. Scales the columns of a place together, by the mean
// square of their deviations: those that are named, or a pair that is known by its names. A degree
// of longitude counts as much of one of latitude as it is long at the middle of the map. Adds a note
// for each place. UsageError for names that are no numeric inputs.
void scale_places(const Table& table,
                  const std::vector<std::string>& named,
                  std::vector<DesignColumn>& columns,
                  std::vector<std::string>& notes);

}  // namespace ggpm::internal::data
