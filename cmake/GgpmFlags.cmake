# Flags of our own targets; users of the library see none of them.
add_library(ggpm_flags INTERFACE)

# Never -ffast-math: NaN and infinity are answers that we test for. errno after log() is not.
target_compile_options(ggpm_flags INTERFACE -fno-math-errno $<$<CONFIG:Release>:-ftree-vectorize>)

if(GGPM_DEVELOPER_MODE)
  # Options are given as {.name = value}; the fields that are not named keep their defaults.
  # gcc 12 takes string concatenation for overlapping memory (its bug 105651), and with -O3 for an overflow.
  target_compile_options(ggpm_flags INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Werror -Wno-missing-field-initializers
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow>)
endif()

# Debug builds fill new matrices with NaN, so that a value that was never written shows.
target_compile_definitions(ggpm_flags INTERFACE
  $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS EIGEN_INITIALIZE_MATRICES_BY_NAN>)

set(GGPM_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
if(GGPM_SANITIZE)
  # PUBLIC in effect: the library, the tests and the command all carry ggpm_flags.
  target_compile_options(ggpm_flags INTERFACE
    -fsanitize=${GGPM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -Wno-error)  # instrumented code confuses the flow analysis behind some warnings
  target_link_options(ggpm_flags INTERFACE -fsanitize=${GGPM_SANITIZE})
endif()

option(GGPM_COVERAGE "Count which lines of the library run (make coverage)" OFF)
if(GGPM_COVERAGE)
  target_link_options(ggpm_flags INTERFACE --coverage)
endif()

# What users run: a buffer written past its end or a return address that was changed ends the process, and jumps
# through pointers land where they may. Addresses of functions are bound at the start and cannot be written afterwards.
# Sanitizers and debug builds have their own checks; without optimization glibc has none.
if(NOT GGPM_SANITIZE)
  set(optimized $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  target_compile_definitions(ggpm_flags INTERFACE $<${optimized}:_FORTIFY_SOURCE=2>)
  target_compile_options(ggpm_flags INTERFACE
    $<${optimized}:-fstack-protector-strong> $<${optimized}:-fstack-clash-protection>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(ggpm_flags INTERFACE $<${optimized}:-fcf-protection=full>)
  endif()
endif()
target_link_options(ggpm_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
