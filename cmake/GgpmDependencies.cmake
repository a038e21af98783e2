# What the library stands on, as Debian 12 packages it (package names: dependencies.txt).
# Read by our own build, and by ggpmConfig.cmake for programs that link the static library.
include(CMakeFindDependencyMacro)

# A library that ships no usable CMake package of its own becomes the imported target Ggpm::<name>.
function(ggpm_import name header library)
  if(TARGET Ggpm::${name})
    return()
  endif()
  find_path(GGPM_${name}_INCLUDE_DIR ${header} PATH_SUFFIXES ${ARGN})
  find_library(GGPM_${name}_LIBRARY ${library})
  mark_as_advanced(GGPM_${name}_INCLUDE_DIR GGPM_${name}_LIBRARY)
  if(NOT GGPM_${name}_INCLUDE_DIR OR NOT GGPM_${name}_LIBRARY)
    message(FATAL_ERROR "ggpm needs ${header} and lib${library}; see dependencies.txt for the package")
  endif()
  add_library(Ggpm::${name} UNKNOWN IMPORTED)
  set_target_properties(Ggpm::${name} PROPERTIES
    IMPORTED_LOCATION "${GGPM_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${GGPM_${name}_INCLUDE_DIR}")
endfunction()

find_dependency(Threads)
find_dependency(Eigen3 3.4)
find_dependency(Boost 1.74)
find_dependency(fmt)
find_dependency(nlohmann_json 3.9)
find_dependency(ZLIB)
# OpenBLAS answers both BLAS (<cblas.h>) and LAPACK (<lapack.h>, LAPACK_dpotrf and friends).
ggpm_import(openblas cblas.h openblas
            openblas openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread)
ggpm_import(nlopt nlopt.hpp nlopt_cxx)
ggpm_import(csv csv.h csv)
