// A chart as SVG, drawn here: for files, for pages without JavaScript, for pages before it runs.
#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"

namespace ggpm::internal::report {

// Inside of a page: colors are variables of page.css; title and legend are the page's.
std::string inline_svg(const Chart& chart);

// A file of its own, with title and legend, on white: so many pixels higher than its chart.
inline constexpr double kSvgTitle = 52;
std::string svg_file(const Chart& chart);

// Places of round numbers inside the range, at most about `most`; powers of ten if logarithmic.
std::vector<double> ticks(const Range& range, bool log, int most);

}  // namespace ggpm::internal::report
