#include "model/file_format.hpp"

#include <fmt/format.h>

#include <bit>
#include <boost/crc.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "ggpm/version.hpp"

namespace ggpm::internal::file {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMagic("\x89GGPM\r\n\x1a", 8);
constexpr std::size_t kPrefix = 20;  // magic, version, header length
constexpr std::size_t kChecksum = 4;
constexpr std::uint64_t kLongestHeader = 16U << 20U;
constexpr int kMaxDepth = 8;
constexpr std::size_t kLongestName = 256;
static_assert(std::endian::native == std::endian::little,
              "files are little-endian: a big-endian machine must swap here");

template <class Number>
void append(std::string& out, Number number) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &number, sizeof(Number));
  out.append(bytes, sizeof(Number));
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t place) {
  Number number;
  std::memcpy(&number, bytes.data() + place, sizeof(Number));
  return number;
}

std::uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

std::string canonical(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Brackets outside of texts; the parser itself would accept any depth.
int depth(std::string_view json) {
  int now = 0, deepest = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++now);
    } else if (c == ']' || c == '}') {
      --now;
    }
  }
  return deepest;
}

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw DataError(source + ": " + why);
}

Json read_header(std::string_view text, const std::string& source) {
  if (depth(text) > kMaxDepth)
    refuse(source, fmt::format("the header is nested deeper than {} levels", kMaxDepth));
  Json header;
  try {
    header = Json::parse(text);
  } catch (const Json::exception&) {
    refuse(source, "the header is not JSON");
  }
  // Duplicate keys, other spellings of a number, spaces: whatever we did not write ourselves.
  if (!header.is_object() || canonical(header) != text)
    refuse(source, "the header is not in canonical form");
  if (!header.contains("arrays") || !header["arrays"].is_array())
    refuse(source, "the header has no list of arrays");
  return header;
}

// One entry of the list of arrays; its size is compared with the bytes that are left.
NamedArray read_array(const Json& entry,
                      std::string_view bytes,
                      std::size_t& place,
                      const std::string& source) {
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("name") ||
      !entry["name"].is_string() || !entry.contains("rows") ||
      !entry["rows"].is_number_unsigned() || !entry.contains("cols") ||
      !entry["cols"].is_number_unsigned())
    refuse(source, "an array of the header has no name, rows and cols");
  NamedArray array{entry["name"].get<std::string>(), {}};
  if (array.name.size() > kLongestName) refuse(source, "the name of an array is too long");
  const auto rows = entry["rows"].get<std::uint64_t>(), cols = entry["cols"].get<std::uint64_t>();
  const std::size_t left = bytes.size() - kChecksum - place;
  if (cols != 0 && rows > left / sizeof(double) / cols)
    refuse(source,
           fmt::format("byte {}: array '{}' claims {} x {} numbers, the file has {} bytes left",
                       place,
                       array.name,
                       rows,
                       cols,
                       left));
  // An empty array may be the last one, with nothing left; its other side is no larger than the file.
  if (rows > bytes.size() || cols > bytes.size())
    refuse(source, fmt::format("array '{}' claims {} x {} numbers", array.name, rows, cols));
  array.values.resize(static_cast<Index>(rows), static_cast<Index>(cols));
  const std::size_t size = static_cast<std::size_t>(rows * cols) * sizeof(double);
  if (size > 0) std::memcpy(array.values.data(), bytes.data() + place, size);
  place += size;
  return array;
}

}  // namespace

bool has_magic(std::string_view bytes) { return bytes.starts_with(kMagic); }

void write(const Json& header,
           const NamedArrays& arrays,
           const std::function<void(std::string_view)>& to) {
  Json full = header;
  full["arrays"] = Json::array();
  for (const NamedArray& array : arrays)
    full["arrays"].push_back({{"name", array.name},
                              {"rows", static_cast<std::uint64_t>(array.values.rows())},
                              {"cols", static_cast<std::uint64_t>(array.values.cols())}});
  const std::string text = canonical(full);
  if (text.size() > kLongestHeader)
    throw DataError("the model's names and texts are too long for a file (16 MB)");
  boost::crc_32_type crc;
  const auto hand_on = [&](std::string_view bytes) {
    crc.process_bytes(bytes.data(), bytes.size());
    to(bytes);
  };
  std::string start(kMagic);
  append(start, kVersion);
  append(start, static_cast<std::uint64_t>(text.size()));
  start += text;
  start.resize(padded(start.size()), '\0');
  hand_on(start);
  for (const NamedArray& array : arrays)
    hand_on({reinterpret_cast<const char*>(array.values.data()),
             static_cast<std::size_t>(array.values.size()) * sizeof(double)});
  std::string end;
  append(end, static_cast<std::uint32_t>(crc.checksum()));
  to(end);
}

std::string bytes_of(const Json& header, const NamedArrays& arrays) {
  std::string out;
  write(header, arrays, [&](std::string_view bytes) { out += bytes; });
  return out;
}

Json read(std::string_view bytes, const std::string& source, NamedArrays& arrays) {
  if (!has_magic(bytes)) refuse(source, "this is not a ggpm model file");
  if (bytes.size() < kPrefix + kChecksum) refuse(source, "the file is cut short");
  const auto version = number_at<std::uint32_t>(bytes, 8);
  if (version == 0 || version > kVersion)
    refuse(
        source,
        fmt::format("the file has format version {}, ggpm {} reads versions up to {}; use a newer "
                    "ggpm",
                    version,
                    ggpm::version(),
                    kVersion));
  const std::size_t end = bytes.size() - kChecksum;
  if (checksum(bytes.substr(0, end)) != number_at<std::uint32_t>(bytes, end))
    refuse(source, "the checksum is wrong: the file is damaged or cut short");
  const auto length = number_at<std::uint64_t>(bytes, 12);
  if (length > kLongestHeader || length > end - kPrefix)
    refuse(source,
           fmt::format(
               "byte 12: the header claims {} bytes, the file has {} left", length, end - kPrefix));
  const std::size_t header_end = kPrefix + static_cast<std::size_t>(length);
  Json header = read_header(bytes.substr(kPrefix, static_cast<std::size_t>(length)), source);
  std::size_t place = padded(header_end);
  if (place > end) refuse(source, "the file ends inside its header");
  for (std::size_t i = header_end; i < place; ++i)
    if (bytes[i] != '\0') refuse(source, fmt::format("byte {}: padding is not zero", i));
  std::set<std::string> names;
  for (const Json& entry : header["arrays"]) {
    arrays.push_back(read_array(entry, bytes, place, source));
    if (!names.insert(arrays.back().name).second)
      refuse(source, "array '" + arrays.back().name + "' comes twice");
  }
  if (place != end) refuse(source, fmt::format("{} bytes follow the last array", end - place));
  header.erase("arrays");
  return header;
}

}  // namespace ggpm::internal::file
