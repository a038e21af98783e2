# cmake -DASSETS=folder -DVEGA=folder|NOTFOUND -DOUT=file.cpp -P embed_assets.cmake
# Writes a C++ source with the styles and the script of report pages, and the hash of the script.

# Those that pictures of ours need, each behind what it needs itself.
set(modules util time format loader dataflow statistics expression canvas scale scenegraph selection
            functions event-selector parser runtime encode transforms view-transforms view interpreter)

file(READ ${ASSETS}/page.css style)
file(READ ${ASSETS}/page.js page)
set(script "")
if(EXISTS "${VEGA}/vega-view.min.js")
  file(READ ${ASSETS}/vega-licence.txt licence)
  file(READ ${ASSETS}/modules.js loader)
  file(READ ${ASSETS}/vega.js vega)
  string(APPEND script "/*\n${licence}*/\n(function () {\n${loader}")
  foreach(module IN LISTS modules)
    file(READ ${VEGA}/vega-${module}.min.js text)
    string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" text "${text}")
    # The file of vega-selections has lost its s.
    string(REGEX REPLACE "^selection$" "selections" module "${module}")
    string(APPEND script "name = 'vega-${module}';\n${text}")
  endforeach()
  string(APPEND script "${vega}})();\n")
endif()
string(APPEND script "${page}")
string(REPLACE "</script" "<\\/script" script "${script}")
string(SHA256 hash "${script}")

set(mark "ggpm-asset")
file(WRITE ${OUT} "// Written by cmake/embed_assets.cmake.
#include <string_view>

namespace ggpm::internal::report::assets {

std::string_view style();
std::string_view script();
std::string_view script_sha256();

std::string_view style() { return R\"${mark}(${style})${mark}\"; }
std::string_view script() { return R\"${mark}(${script})${mark}\"; }
std::string_view script_sha256() { return \"${hash}\"; }

}  // namespace ggpm::internal::report::assets
")
