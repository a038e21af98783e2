# The Python package: <build>/python/ggpm holds the compiled module beside links to the sources, so
# PYTHONPATH=<build>/python imports what was just built.
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 REQUIRED)

file(GLOB binding_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/python/*.cpp)
pybind11_add_module(ggpm_python NO_EXTRAS ${binding_sources})
target_link_libraries(ggpm_python PRIVATE ggpm::ggpm ggpm_flags)
target_precompile_headers(ggpm_python PRIVATE
  <pybind11/eigen.h> <pybind11/pybind11.h> <pybind11/stl.h>)
set_target_properties(ggpm_python PROPERTIES
  OUTPUT_NAME _core
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/ggpm)
ggpm_unite(ggpm_python 6)

file(GLOB python_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/python/ggpm
     ${CMAKE_CURRENT_SOURCE_DIR}/python/ggpm/*.py ${CMAKE_CURRENT_SOURCE_DIR}/python/ggpm/*.pyi
     ${CMAKE_CURRENT_SOURCE_DIR}/python/ggpm/py.typed)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/ggpm)
foreach(name IN LISTS python_files)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/python/ggpm/${name}
       ${PROJECT_BINARY_DIR}/python/ggpm/${name} SYMBOLIC)
endforeach()

# What pip installs (pyproject.toml): the compiled module; the sources are copied from python/ggpm.
install(TARGETS ggpm_python LIBRARY DESTINATION ggpm COMPONENT python EXCLUDE_FROM_ALL)
# Wheels that are made to be given away (scripts/wheel) carry the command, too.
set(GGPM_COMMAND "" CACHE FILEPATH "A command that the Python package takes along")
if(GGPM_COMMAND)
  install(PROGRAMS ${GGPM_COMMAND} DESTINATION ggpm_command COMPONENT python EXCLUDE_FROM_ALL)
endif()
set(GGPM_NOTICES "" CACHE FILEPATH "The notices of the libraries that the Python package takes along")
if(GGPM_NOTICES)
  install(FILES ${GGPM_NOTICES} DESTINATION ggpm_command COMPONENT python EXCLUDE_FROM_ALL)
endif()
