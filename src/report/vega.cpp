#include "report/vega.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/ink.hpp"

namespace ggpm::internal::report {
namespace {

// That of page.css: Vega measures text with it to keep labels and titles apart.
constexpr const char* kFont =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

Json shown(double value) { return std::isfinite(value) ? Json(rounded(value)) : Json(nullptr); }

Json rows_of(const Layer& layer) {
  Json rows = Json::array();
  const std::size_t n = layer.x.size();
  for (std::size_t i = 0; i < n; ++i) {
    const bool gaps = layer.mark == Mark::line || layer.mark == Mark::band;
    if (!gaps && !has_place(layer, i)) continue;
    Json row = {{"x", shown(layer.x[i])}, {"y", shown(layer.y[i])}};
    if (!layer.x2.empty()) row["x2"] = shown(layer.x2[i]);
    if (!layer.y2.empty()) row["y2"] = shown(layer.y2[i]);
    if (!layer.shade.empty()) row["s"] = shown(opacity(layer, i));
    if (!layer.value.empty()) row["v"] = shown(layer.value[i]);
    if (!layer.label.empty()) row["label"] = layer.label[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

Json place(const char* scale, const char* field) { return {{"scale", scale}, {"field", field}}; }

const char* shape_of(Symbol symbol) {
  return symbol == Symbol::up ? "triangle-up" : symbol == Symbol::down ? "triangle-down" : "circle";
}

Json mark_of(const Layer& layer, std::size_t k) {
  const std::string color = color_variable(layer.ink);
  Json encode = {{"x", place("x", "x")}, {"y", place("y", "y")}};
  const char* type = "symbol";
  switch (layer.mark) {
    case Mark::line:
      type = "line";
      encode["defined"] = {{"signal", "isValid(datum.y)"}};
      break;
    case Mark::band:
      type = "area";
      encode["y2"] = place("y", "y2");
      encode["defined"] = {{"signal", "isValid(datum.y) && isValid(datum.y2)"}};
      break;
    case Mark::points:
      encode["size"] = {{"value", layer.symbol == Symbol::dot ? kPointArea : kOpenArea}};
      encode["shape"] = {{"value", shape_of(layer.symbol)}};
      break;
    case Mark::boxes:
      type = "rect";
      encode["x2"] = place("x", "x2");
      encode["y2"] = place("y", "y2");
      break;
    case Mark::segments:
      type = "rule";
      encode["x2"] = place("x", "x2");
      encode["y2"] = place("y", "y2");
      break;
  }
  if (layer.mark == Mark::line || layer.mark == Mark::segments) {
    encode["stroke"] = {{"value", color}};
    encode["strokeWidth"] = {{"value", layer.mark == Mark::line ? kLineWidth : kSegmentWidth}};
    encode["strokeOpacity"] = {{"value", layer.opacity}};
    if (layer.dashed) encode["strokeDash"] = {{"value", {kDash[0], kDash[1]}}};
  } else if (layer.mark == Mark::points && layer.symbol != Symbol::dot) {
    encode["fill"] = {{"value", "transparent"}};  // there for the pointer
    encode["stroke"] = {{"value", color}};
    encode["strokeWidth"] = {{"value", kOpenWidth}};
    encode["strokeOpacity"] =
        layer.shade.empty() ? Json{{"value", layer.opacity}} : Json{{"field", "s"}};
  } else {
    encode["fill"] = {{"value", color}};
    encode["fillOpacity"] =
        layer.shade.empty() ? Json{{"value", layer.opacity}} : Json{{"field", "s"}};
  }
  return {{"type", type},
          {"name", fmt::format("layer{}", k)},
          {"clip", true},
          {"from", {{"data", fmt::format("data{}", k)}}},
          {"encode", {{"update", std::move(encode)}}}};
}

Json scale_of(const char* name, const Axis& axis, const char* range) {
  return {{"name", name},
          {"type", axis.log ? "log" : "linear"},
          {"domain", {{"signal", std::string(name) + "dom"}}},
          {"range", range},
          {"zero", false},
          {"nice", false}};
}

Json axis_of(
    const char* scale, const char* side, const Axis& axis, const Range& range, double length) {
  Json out = {{"orient", side},
              {"scale", scale},
              {"title", axis.title},
              {"grid", !axis.log},
              {"domain", false},
              {"tickCount", length < 250 ? 4 : 6},
              {"labelOverlap", "greedy"},
              {"labelSeparation", 4},
              {"labelFlush", true}};
  // Many digits before or behind the point would take the room of the picture.
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (!axis.log && (largest >= 1e6 || range.high - range.low < 1e-3)) out["format"] = ".5~g";
  if (!axis.categories.empty()) {
    Json values = Json::array();
    for (std::size_t k = 0; k < axis.categories.size(); ++k) values.push_back(k);
    out["values"] = values;
    out.erase("tickCount");  // which would thin them out
    out["grid"] = false;
    const bool left = std::string_view(side) == "left";
    out["labelLimit"] =
        left ? Json(130) : Json{{"signal", fmt::format("width / {} - 6", values.size())}};
    out["labelFlush"] = false;
    if (left) {
      out["labelOverlap"] = false;  // the chart is high enough
    } else if (values.size() > 6) {
      out["labelAngle"] = -90;
      out["labelAlign"] = "right";
      out["labelBaseline"] = "middle";
      out["labelLimit"] = 90;
      out["labelSeparation"] = 0;
    }
    out["encode"]["labels"]["update"]["text"]["signal"] =
        fmt::format("{}names[datum.value]", scale);
  }
  return out;
}

Json signals_of(const Chart& chart, const Frame& f) {
  Json out = Json::array();
  out.push_back({{"name", "xdom"}, {"value", {rounded(f.x.low), rounded(f.x.high)}}});
  out.push_back({{"name", "ydom"}, {"value", {rounded(f.y.low), rounded(f.y.high)}}});
  out.push_back({{"name", "xnames"}, {"value", chart.x.categories}});
  out.push_back({{"name", "ynames"}, {"value", chart.y.categories}});
  return out;
}

// Words for the tooltips; page.js puts them together.
Json tooltip_words(const Chart& chart) {
  Json layers = Json::array();
  for (const Layer& layer : chart.layers)
    layers.push_back({{"name", layer.name}, {"value", layer.value_name}});
  return {{"x", chart.x.title}, {"y", chart.y.title}, {"aspect", chart.aspect}, {"layers", layers}};
}

const Json& config() {
  static const Json out = {{"axis",
                            {{"labelColor", "var(--soft)"},
                             {"titleColor", "var(--ink)"},
                             {"tickColor", "var(--line)"},
                             {"gridColor", "var(--line)"},
                             {"gridOpacity", 0.7},
                             {"labelFont", kFont},
                             {"titleFont", kFont},
                             {"labelFontSize", 12},
                             {"titleFontSize", 12},
                             {"titleFontWeight", "normal"},
                             {"titlePadding", 8},
                             {"titleLimit", 280}}}};
  return out;
}

}  // namespace

Json vega_spec(const Chart& chart) {
  const Frame f = frame(chart);
  Json data = Json::array(), marks = Json::array();
  for (std::size_t k = 0; k < chart.layers.size(); ++k) {
    data.push_back({{"name", fmt::format("data{}", k)}, {"values", rows_of(chart.layers[k])}});
    marks.push_back(mark_of(chart.layers[k], k));
  }
  return {{"$schema", "https://vega.github.io/schema/vega/v5.json"},
          {"description", chart.title},
          {"autosize", {{"type", "fit"}, {"contains", "padding"}}},
          {"width", kWidth},
          {"height", chart.height},
          {"padding", 4},
          {"config", config()},
          {"signals", signals_of(chart, f)},
          {"data", data},
          {"scales", {scale_of("x", chart.x, "width"), scale_of("y", chart.y, "height")}},
          {"axes",
           {axis_of("x", "bottom", chart.x, f.x, kWidth),
            axis_of("y", "left", chart.y, f.y, chart.height)}},
          {"marks", marks},
          {"usermeta", tooltip_words(chart)}};
}

}  // namespace ggpm::internal::report
