// The version of the library that was linked, as opposed to the headers that were included.
#pragma once

#include <string_view>

namespace ggpm {

std::string_view version();  // "0.1.0"

}  // namespace ggpm
