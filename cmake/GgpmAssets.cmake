# The styles and scripts of report pages become part of the library. Vega comes from Debian's
# libjs-vega; without it pages have still pictures.
find_path(GGPM_VEGA_DIR vega-view.min.js PATHS /usr/share/javascript/vega)
if(NOT GGPM_VEGA_DIR)
  message(WARNING "Vega (Debian: libjs-vega) is not there: the pictures of reports will not be live")
endif()

set(ggpm_assets ${CMAKE_CURRENT_SOURCE_DIR}/src/report/assets)
set(ggpm_assets_source ${CMAKE_CURRENT_BINARY_DIR}/report_assets.cpp)
add_custom_command(
  OUTPUT ${ggpm_assets_source}
  COMMAND ${CMAKE_COMMAND} -DASSETS=${ggpm_assets} -DVEGA=${GGPM_VEGA_DIR} -DOUT=${ggpm_assets_source}
          -P ${CMAKE_CURRENT_LIST_DIR}/embed_assets.cmake
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/embed_assets.cmake ${ggpm_assets}/page.css ${ggpm_assets}/page.js
          ${ggpm_assets}/modules.js ${ggpm_assets}/vega.js ${ggpm_assets}/vega-licence.txt
  VERBATIM)
target_sources(ggpm PRIVATE ${ggpm_assets_source})
# One string of half a megabyte, which needs none of the shared headers.
set_source_files_properties(${ggpm_assets_source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
  SKIP_UNITY_BUILD_INCLUSION ON)
