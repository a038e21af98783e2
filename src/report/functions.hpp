// The functions that make a likelihood, as pictures.                               (fig:functions)
#pragma once

#include <string_view>
#include <vector>

#include "report/chart.hpp"

namespace ggpm::internal::report {

// p(y) at three values of eta.
Chart density_chart(std::string_view name, std::string_view link = {});

// The mean of y along eta; theta(eta) and b(theta) where the family has them.
std::vector<Chart> function_charts(std::string_view name, std::string_view link = {});

// theta(eta) and b(theta(eta)) of a likelihood of the paper's table; false: it has none.
struct PaperFunctions {
  double theta = 0, log_partition = 0;
};
bool paper_functions(
    std::string_view family, std::string_view link, double phi, double eta, PaperFunctions& out);

}  // namespace ggpm::internal::report
