# find_package(ggpm) from an install prefix, or ggpm::ggpm from a subproject.
include(CMakePackageConfigHelpers)

set(ggpm_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ggpm)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS ggpm EXPORT ggpmTargets)
install(DIRECTORY include/ggpm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ggpmTargets NAMESPACE ggpm:: DESTINATION ${ggpm_package_dir})
configure_package_config_file(cmake/ggpmConfig.cmake.in ${PROJECT_BINARY_DIR}/ggpmConfig.cmake
                              INSTALL_DESTINATION ${ggpm_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ggpmConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ggpmConfig.cmake ${PROJECT_BINARY_DIR}/ggpmConfigVersion.cmake
              cmake/GgpmDependencies.cmake
        DESTINATION ${ggpm_package_dir})

# pkg-config --cflags --libs ggpm, wherever the prefix is. A static library brings what it stands on.
get_target_property(ggpm_type ggpm TYPE)
set(GGPM_PC_LIBS -lggpm)
if(ggpm_type STREQUAL STATIC_LIBRARY)
  set(GGPM_PC_LIBS "-lggpm -lopenblas -lnlopt_cxx -lcsv -lz -lfmt -lpthread")
endif()
file(RELATIVE_PATH GGPM_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" GGPM_PC_UP ${GGPM_PC_UP})
configure_file(cmake/ggpm.pc.in ${PROJECT_BINARY_DIR}/ggpm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ggpm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
