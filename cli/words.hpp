// Words for things of the library.
#pragma once

#include <string>

#include "ggpm/likelihood.hpp"

namespace ggpm::cli {

// UsageError with the nearest name unless it is a likelihood, one of its aliases, or a formula
// file.
void check_likelihood_name(const std::string& name);

}  // namespace ggpm::cli
