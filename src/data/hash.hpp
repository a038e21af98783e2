#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace ggpm::internal::data {

// FNV-1a, to tell whether two things are the same; no protection against malice.
class Hash {
 public:
  void add(const void* bytes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      value_ = (value_ ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void add(Number number) { add(&number, sizeof number); }
  void add(const std::string& text) {  // with its length, so that "ab", "c" is not "a", "bc"
    add(text.size());
    add(text.data(), text.size());
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace ggpm::internal::data
