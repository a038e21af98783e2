// A model file made by somebody who knows the format: lengths and the checksum are right, since they
// would hide the rest. An input is the header as JSON, a line break, and the arrays.
#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "ggpm/model.hpp"
#include "predictions.hpp"

using namespace ggpm;
using Json = nlohmann::json;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

constexpr std::size_t kMostNumbers = 4096;

// As many bytes as the header's list says, unless it exaggerates.
std::size_t bytes_of_arrays(const Json& header, std::size_t otherwise) {
  std::size_t numbers = 0;
  try {
    for (const Json& array : header.at("arrays")) {
      if (!array.at("rows").is_number_unsigned() || !array.at("cols").is_number_unsigned())
        return otherwise;
      const std::size_t rows = array.at("rows").get<std::size_t>();
      const std::size_t cols = array.at("cols").get<std::size_t>();
      if (rows > kMostNumbers || cols > kMostNumbers) return otherwise;
      numbers += rows * cols;
    }
  } catch (const Json::exception&) {
    return otherwise;
  }
  return numbers > kMostNumbers ? otherwise : 8 * numbers;
}

std::string file_of(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  std::string header(input.substr(0, end));
  std::string arrays(input.substr(std::min(end + 1, input.size())));
  const Json json = Json::parse(header, nullptr, false);
  if (!json.is_discarded()) {
    header = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    arrays.resize(bytes_of_arrays(json, arrays.size()), '\0');
  }
  std::string bytes = "\x89GGPM\r\n\x1a" + std::string("\2\0\0\0", 4);
  const std::uint64_t length = header.size();
  bytes.append(reinterpret_cast<const char*>(&length), 8);
  bytes += header;
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  bytes += arrays;
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t sum = crc.checksum();
  bytes.append(reinterpret_cast<const char*>(&sum), 4);
  return bytes;
}

void collect(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  if (value.is_structured())
    for (Json& part : value) collect(part, all);
}

// One value of the header becomes another, or is gone: bytes that change would hardly ever be JSON still.
std::string other_header(std::string_view text, std::minstd_rand& random) {
  Json header = Json::parse(text, nullptr, false);
  if (header.is_discarded()) return std::string(text);
  std::vector<Json*> all;
  collect(header, all);
  Json& one = *all[random() % all.size()];
  static const std::array values = {Json(0),
                                    Json(1),
                                    Json(-1),
                                    Json(2),
                                    Json(0.5),
                                    Json(1e300),
                                    Json(1LL << 40),
                                    Json(nullptr),
                                    Json(true),
                                    Json(false),
                                    Json(""),
                                    Json("rbf"),
                                    Json("vb"),
                                    Json::array(),
                                    Json::object()};
  const auto what = random() % 4;
  if (what == 0 && one.is_structured() && !one.empty())
    one.erase(std::next(one.begin(), static_cast<std::ptrdiff_t>(random() % one.size())));
  else if (what == 1 && one.is_number())
    one = one.get<double>() + (random() % 2 == 0 ? 1 : -1);
  else if (what == 2 && one.is_number_integer())
    one = one.get<std::int64_t>() + (random() % 2 == 0 ? 1 : -1);
  else if (what == 3)
    one = values[random() % values.size()];
  else
    one = Json(*all[random() % all.size()]);
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// A third of the time a value of the header changes, a third of the time a number of the arrays becomes one that is
// worth a try.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  const auto* const end = std::find(data, data + size, '\n');
  const std::size_t start = static_cast<std::size_t>(end - data) + 1;
  const auto what = random() % 3;
  if (what == 1) {
    const std::size_t head = start - 1;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string other = other_header(text.substr(0, head), random);
    if (other.size() + size - head <= max_size) {
      std::memmove(data + other.size(), data + head, size - head);
      std::memcpy(data, other.data(), other.size());
      return other.size() + size - head;
    }
  }
  if (what != 2 || start + 8 > size) return LLVMFuzzerMutate(data, size, max_size);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::array values = {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             2.0,
                             0.5,
                             1e-300,
                             5e-324,
                             1e300,
                             -1e300,
                             1e100,
                             1e-100,
                             1e15,
                             infinity,
                             -infinity,
                             std::nan("")};
  const std::size_t place = start + random() % ((size - start) / 8) * 8;
  std::memcpy(data + place, &values[random() % values.size()], 8);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = file_of(fuzz::text_of(data, size));
  fuzz::answered([&] {
    const SavedModel saved = from_bytes(bytes);
    const std::string again = to_bytes(saved);
    fuzz::require(to_bytes(from_bytes(again)) == again, "a model that was saved is the model");
    Dataset rows{.X = Matrix::Constant(2, saved.model.dimensions(), 0.25)};
    rows.X.row(1) *= -8;
    fuzz::answered([&] {
      fuzz::check_predictions(saved.model, rows, fuzz::one_of_eight(fuzz::text_of(data, size)));
    });
  });
  return 0;
}
