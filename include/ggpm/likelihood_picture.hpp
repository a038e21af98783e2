// A likelihood as a picture: densities, link, parameter and log-partition functions. (fig:functions)
//
//   write_file_atomically("poisson.svg", likelihood_svg("poisson"));       // ggpm/atomic_file.hpp
#pragma once

#include <string>
#include <string_view>

namespace ggpm {

// One SVG file: p(y) at three values of eta; the mean of y against eta with the central 80 % of y;
// and where the family is written as (T theta - b)/a + c also theta(eta) and b(theta). A dispersion
// is at its default. UsageError for a name that is not there, and for those whose outputs need more
// than eta (softmax).
std::string likelihood_svg(std::string_view name, std::string_view link = {});

}  // namespace ggpm
