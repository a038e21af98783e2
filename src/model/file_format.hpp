// The outer shape of a model file (docs/model-file.md):
//
//   8 bytes   magic   89 47 47 50 4d 0d 0a 1a
//   u32       version                                       all numbers little-endian
//   u64       length of the header
//   header    JSON in canonical form: sorted keys, no spaces; texts, whole numbers, booleans only
//   zeros     up to a multiple of 8
//   arrays    of doubles, column by column, in the order of the header's list
//   u32       CRC-32 of everything before it
//
// Nothing here knows what a model is.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "data/named_array.hpp"

namespace ggpm::internal::file {

inline constexpr std::uint32_t kVersion = 2;

// Hands the file on piece by piece, so that it need not be in memory a second time.
void write(const nlohmann::json& header,
           const NamedArrays& arrays,
           const std::function<void(std::string_view)>& to);
std::string bytes_of(const nlohmann::json& header, const NamedArrays& arrays);

// DataError that begins with `source` for anything that write() did not make. Allocates no more
// than a small multiple of the bytes that are there. The list of arrays is taken out of the header.
nlohmann::json read(std::string_view bytes, const std::string& source, NamedArrays& arrays);

// The first bytes are those of a model file.
bool has_magic(std::string_view bytes);

}  // namespace ggpm::internal::file
