#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "text/text.hpp"

namespace ggpm::internal::report {
namespace {

constexpr std::string_view kIsolate = "\xE2\x81\xA8", kEndIsolate = "\xE2\x81\xA9";

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
  std::string one_line(name.substr(0, 100000));
  std::replace_if(
      one_line.begin(), one_line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const std::string out = text::shortened(one_line, most, most * 2 / 3);
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

}  // namespace ggpm::internal::report
