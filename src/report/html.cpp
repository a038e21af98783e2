#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "text/text.hpp"

namespace ggpm::report {
namespace {

constexpr std::string_view kIsolate = "\xE2\x81\xA8", kEndIsolate = "\xE2\x81\xA9";

// Characters as slices of the text; bytes that are no UTF-8 become question marks.
std::vector<std::string> characters(std::string_view text) {
  const bool valid = data::is_valid_utf8(text);
  std::vector<std::string> out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (valid && (byte & 0xC0) == 0x80)
      out.back() += c;
    else
      out.emplace_back(1, byte < 32 || byte == 127 ? ' ' : byte >= 128 && !valid ? '?' : c);
  }
  return out;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // XML has no other control characters, and a page no use for them.
        out += static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

std::string script_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (const char c : text) {
    if (c == '<')  // occurs in strings only, where \u003c is the same
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string shorten(std::string_view name, std::size_t most) {
  const std::vector<std::string> all = characters(name.substr(0, 100000));
  std::string out;
  const std::size_t head = all.size() <= most ? all.size() : most * 2 / 3;
  for (std::size_t i = 0; i < head; ++i) out += all[i];
  if (head < all.size()) {
    out += "…";
    for (std::size_t i = all.size() - (most - head - 1); i < all.size(); ++i) out += all[i];
  }
  const bool plain = std::all_of(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
  return plain ? out : std::string(kIsolate) + out + std::string(kEndIsolate);
}

double rounded(double value) {
  if (!std::isfinite(value)) return value;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

std::string number(double value, int digits) {
  return !std::isfinite(value) ? "–" : fmt::format("{:.{}g}", value, digits);
}

}  // namespace ggpm::report
