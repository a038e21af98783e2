// Which likelihood, and which inference, has the best ranks.              (tab:ft_lik, tab:ft_inf)
#pragma once

#include <map>

#include "experiments/ranks.hpp"

namespace ggpm::paper {

// `trials` by the name of the data set, their candidates named as compare() does with this kernel; the
// tests are of that column.
void add_nonnegative_ranks(const std::map<std::string, std::vector<Trial>>& trials,
                           const std::string& kernel,
                           const std::string& column,
                           Reproduction& out);

}  // namespace ggpm::paper
