// Which families fit outputs of a kind: what `auto` chooses from, and what a comparison begins
// with.
#pragma once

#include <string>
#include <vector>

#include "ggpm/likelihood.hpp"

namespace ggpm {

// Names for make_likelihood, the simplest first.
std::vector<std::string> families_of(Domain domain);

}  // namespace ggpm
