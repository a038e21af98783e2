// Text on its way into a page. Nothing reaches a page but through one of these.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ggpm::internal::report {

using Json = nlohmann::ordered_json;

// Text between tags or inside a quoted attribute; also right for SVG and XML.
std::string escape(std::string_view text);

// JSON inside of <script type="application/json">: no text in it can end the element.
std::string script_json(const Json& json);

// A name from outside, for people: on one line, at most `most` characters, the middle left out, and
// isolated where its direction could spread to the text around it.
std::string shorten(std::string_view name, std::size_t most = 48);

// Six digits: what a picture needs.
double rounded(double value);

// "0.0123", "1.2e-09", "-": four digits unless told otherwise.
std::string number(double value, int digits = 4);

}  // namespace ggpm::internal::report
