// The files of src/report/assets, and Vega, as they were when the library was built
// (cmake/GgpmAssets.cmake writes the source of these).
#pragma once

#include <string_view>

namespace ggpm::internal::report::assets {

std::string_view style();          // page.css
std::string_view script();         // Vega, if there was one, and page.js
std::string_view script_sha256();  // in hexadecimal digits

}  // namespace ggpm::internal::report::assets
