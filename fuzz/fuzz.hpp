// What the targets share. A refusal is a ggpm::Error; every other exception that leaves a target ends
// it, and so is a finding, as are what the sanitizers see, a hang and a wrong property.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ggpm/types.hpp"

namespace ggpm::fuzz {

// Whether it was answered.
template <class Action>
bool answered(const Action& action) {
  try {
    action();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// A property that holds for every input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "property: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// True for one input of eight, and the same whenever it is tried.
inline bool one_of_eight(std::string_view text) {
  unsigned hash = 2166136261U;  // FNV-1a
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return (hash >> 16U) % 8 == 0;
}

}  // namespace ggpm::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
