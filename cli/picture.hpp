// Pictures in files of their own: SVG as it is, PNG by rsvg-convert.
#pragma once

#include <string>

#include "report/chart.hpp"

namespace ggpm::cli {

// UsageError unless the file ends in .svg or .png.
void check_picture_name(const std::string& path);

// Whole or not at all. DataError that names the missing program where PNG cannot be made.
void write_picture(const report::Chart& chart, const std::string& path);

}  // namespace ggpm::cli
