// Models for tests of their files, and the means to take a file apart.
#pragma once

#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"

namespace ggpm::testing_support {

using Json = nlohmann::json;

inline SavedModel small_model(const std::string& likelihood = "poisson",
                              Index n = 5,
                              const std::string& kernel = "rbf") {
  const Dataset data = simulate(likelihood, n, 2, 1);
  FitOptions options;
  options.optimize = false;
  return {GeneralizedGP::fit(
      data,
      {.likelihood = likelihood, .kernel = kernel, .inference = some_method(likelihood)},
      options)};
}

inline std::string with_checksum(std::string bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size() - 4);
  const std::uint32_t sum = crc.checksum();
  std::memcpy(bytes.data() + bytes.size() - 4, &sum, 4);
  return bytes;
}

// Takes a file apart, lets `change` alter it, and puts it together with a right checksum.
struct Pieces {
  std::string header;
  std::string arrays;

  explicit Pieces(const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + 12, 8);
    header = bytes.substr(20, length);
    const std::size_t start = (20 + length + 7) / 8 * 8;
    arrays = bytes.substr(start, bytes.size() - 4 - start);
  }
  std::string join() const {
    std::string bytes = "\x89GGPM\r\n\x1a" + std::string("\2\0\0\0", 4);
    const std::uint64_t length = header.size();
    bytes.append(reinterpret_cast<const char*>(&length), 8);
    bytes += header;
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    return with_checksum(bytes + arrays + "????");
  }
  // Overwrites the first number of the array of that name.
  void set(const std::string& name, double value) {
    std::size_t place = 0;
    const Json parsed = Json::parse(header);
    for (const Json& array : parsed["arrays"]) {
      if (array["name"] == name) return set(place, value);
      place += array["rows"].get<std::size_t>() * array["cols"].get<std::size_t>();
    }
    FAIL() << "no array " << name;
  }
  void set(std::size_t place, double value) { std::memcpy(arrays.data() + 8 * place, &value, 8); }
};

inline void expect_refused(const std::string& bytes, const std::string& what) {
  try {
    from_bytes(bytes, "m.ggpm");
    ADD_FAILURE() << what << ": loaded";
  } catch (const DataError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("m.ggpm: ")) << what << ": " << error.what();
  }
}

}  // namespace ggpm::testing_support
