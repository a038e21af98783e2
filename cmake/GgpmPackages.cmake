# cpack -G DEB: the command, the library for C++ (and R), the Python module. `make deb` builds what they hold.
set(CPACK_PACKAGE_NAME ggpm)
set(CPACK_PACKAGE_VENDOR "the ggpm authors")
set(CPACK_PACKAGE_CONTACT "the ggpm authors <ggpm@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "The command ggpm: fit, predict, compare, report.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME ggpm)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "The library for C++ programs and for the R package.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libggpm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What the headers include and a program that links the static library needs.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libeigen3-dev, libopenblas-dev, libnlopt-cxx-dev, libnlopt-dev, libcsv-dev, libfmt-dev, libboost-dev, nlohmann-json3-dev, zlib1g-dev")

if(TARGET ggpm_python)
  list(APPEND CPACK_COMPONENTS_ALL module)
  set(dist_packages lib/python3/dist-packages/ggpm)
  install(TARGETS ggpm_python LIBRARY DESTINATION ${dist_packages} COMPONENT module EXCLUDE_FROM_ALL)
  install(DIRECTORY python/ggpm/ DESTINATION ${dist_packages} COMPONENT module EXCLUDE_FROM_ALL
          FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed)
  set(CPACK_COMPONENT_MODULE_DESCRIPTION "The Python package, with the conventions of scikit-learn.")
  set(CPACK_DEBIAN_MODULE_PACKAGE_NAME python3-ggpm)
  set(CPACK_DEBIAN_MODULE_PACKAGE_SECTION python)
  math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_MODULE_PACKAGE_DEPENDS
    "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${next_minor}), python3-numpy, python3-scipy, python3-sklearn, python3-joblib")
endif()
# Whose code is in the files of a package: `make deb` has written it.
set(copyright ${PROJECT_BINARY_DIR}/copyright)
install(FILES ${copyright} DESTINATION share/doc/ggpm COMPONENT command OPTIONAL)
install(FILES ${copyright} DESTINATION share/doc/libggpm-dev COMPONENT development OPTIONAL)
if(TARGET ggpm_python)
  install(FILES ${copyright} DESTINATION share/doc/python3-ggpm COMPONENT module EXCLUDE_FROM_ALL OPTIONAL)
endif()
include(CPack)
