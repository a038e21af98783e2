// A picture as data: axes and layers. It is drawn by Vega in a page (report/vega.hpp) and without a
// browser as SVG (report/svg.hpp), so it knows neither.
//
//   Chart chart{.id = "fit", .title = "Count by year",
//               .x = {.title = "year"}, .y = {.title = "n"}};
//   chart.layers.push_back({.mark = Mark::line, .name = "mean", .x = grid, .y = mean});
//   chart.layers.push_back({.mark = Mark::points, .name = "data", .ink = Ink::data, .x = x, .y = y});
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::internal::report {

// A color by its meaning; the page has a light and a dark one.
enum class Ink { model, data, accent, good, muted };

struct Range {
  double low = 0, high = 1;
};

struct Axis {
  std::string title;
  std::optional<Range> range = {};           // none: what the layers need
  bool log = false;                          // values above 0
  std::vector<std::string> categories = {};  // value k is the k-th of them, from 0
};

enum class Mark {
  line,      // through (x, y); NaN interrupts it
  band,      // between y and y2 along x
  points,    // at (x, y)
  boxes,     // x to x2, y to y2: bars, cells of a map
  segments,  // from (x, y) to (x2, y2)
};

// Points: filled, or open for what is known in part only: a bound, or neither end.
enum class Symbol { dot, ring, up, down };

struct Layer {
  Mark mark = Mark::line;
  Symbol symbol = Symbol::dot;
  std::string name = {};  // in the legend; empty: not there
  Ink ink = Ink::model;
  double opacity = 1;
  bool dashed = false;
  std::vector<double> x, y, x2 = {}, y2 = {};
  std::vector<double> shade = {};       // boxes, points: 0 to 1, times the opacity; empty: all 1
  std::vector<double> value = {};       // shown by the tooltip as `value_name`
  std::string value_name = {};          //
  std::vector<std::string> label = {};  // first line of a tooltip
};

// How marks look, in pixels, whoever draws them.
inline constexpr double kWidth = 640, kLineWidth = 2, kSegmentWidth = 1.2, kPointArea = 26;
inline constexpr double kOpenArea = 38, kOpenWidth = 1.4;  // of open symbols
inline constexpr int kDash[] = {5, 4};                     // drawn, left out

struct Chart {
  std::string id;       // a word, unique in its page: "fit"
  std::string title;    // one line above the picture
  std::string caption;  // what to see in it, below
  Axis x, y;
  std::vector<Layer> layers = {};
  double height = 300;  // pixels
  double aspect = 0;    // height over width, as far as there is room; 0: as high as that
};

// The ranges of both axes, with some air around what nobody asked for.
struct Frame {
  Range x, y;
};
Frame frame(const Chart& chart);

// Whether item i has a place: lines and bands have gaps where it has none, others leave it out.
bool has_place(const Layer& layer, std::size_t i);
double opacity(const Layer& layer, std::size_t i);
// The outline of a symbol around (0, 0), as a path of SVG.
std::string outline(Symbol symbol);

std::vector<double> to_vector(const Vector& v);

// Rows that stand for all in a picture: all of them, or evenly spread ones of very many.
std::vector<Index> rows_to_draw(Index rows);
std::vector<double> to_vector(const Vector& v, const std::vector<Index>& rows);

}  // namespace ggpm::internal::report
