// Words for things of the library.
#pragma once

#include <string>
#include <string_view>

#include "ggpm/likelihood.hpp"

namespace ggpm::cli {

std::string_view domain_name(Domain domain);   // "count": one word, as in a formula file
std::string_view domain_words(Domain domain);  // "counts 0, 1, 2, ...": for a person

// UsageError with the nearest name unless it is a likelihood, one of its aliases, or a formula
// file.
void check_likelihood_name(const std::string& name);

}  // namespace ggpm::cli
