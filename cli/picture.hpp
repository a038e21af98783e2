// Pictures in files of their own: SVG as it is, PNG by rsvg-convert.
#pragma once

#include <string>

namespace ggpm::cli {

// UsageError unless the file ends in .svg or .png.
void check_picture_name(const std::string& path);

// Whole or not at all. DataError that names the missing program where PNG cannot be made.
void write_picture(const std::string& svg, const std::string& path);

}  // namespace ggpm::cli
