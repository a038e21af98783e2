# One translation unit for each line of src/likelihood/families.def, so that a family is one header and
# a build compiles them side by side; and for the tests a header that includes all of them.
set(families ${PROJECT_SOURCE_DIR}/src/likelihood/families.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${families})
file(STRINGS ${families} lines REGEX "^FAMILY")
set(all_families "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "FAMILY.([a-z_]+), ([A-Za-z]+).*" "\\1;\\2" family ${line})
  list(POP_FRONT family header type)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/families/${type}.cpp CONTENT
"#include \"likelihood/families/${header}.hpp\"

#include \"likelihood/entry.hpp\"

template ggpm::internal::FamilyEntry ggpm::internal::family_entry<ggpm::internal::families::${type}>();
")
  target_sources(ggpm PRIVATE ${PROJECT_BINARY_DIR}/families/${type}.cpp)
  string(APPEND all_families "#include \"likelihood/families/${header}.hpp\"\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/families/all_families.hpp CONTENT "#pragma once\n\n${all_families}")
