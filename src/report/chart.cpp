#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ggpm::internal::report {
namespace {

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(const std::vector<double>& values, bool log) {
    for (const double v : values)
      if (std::isfinite(v) && (!log || v > 0)) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
  }
};

Range range_of(const Axis& axis, const Extent& seen) {
  if (axis.range) return *axis.range;
  if (!axis.categories.empty()) return {-0.5, static_cast<double>(axis.categories.size()) - 0.5};
  if (!(seen.low <= seen.high)) return axis.log ? Range{1, 10} : Range{0, 1};
  if (axis.log) {
    const double air = std::max(std::pow(seen.high / seen.low, 0.03), 1.05);
    return {seen.low / air, seen.high * air};
  }
  const double width = seen.high - seen.low;
  const double air = width > 0 ? 0.03 * width : std::max(std::abs(seen.low) * 0.1, 0.5);
  // Nothing of a quantity that is never negative lies below zero: the axis ends there.
  const double low = seen.low >= 0 && seen.low < air ? 0 : seen.low - air;
  return {low, seen.high + air};
}

}  // namespace

Frame frame(const Chart& chart) {
  Extent x, y;
  for (const Layer& layer : chart.layers) {
    x.add(layer.x, chart.x.log);
    x.add(layer.x2, chart.x.log);
    y.add(layer.y, chart.y.log);
    y.add(layer.y2, chart.y.log);
  }
  return {range_of(chart.x, x), range_of(chart.y, y)};
}

bool has_place(const Layer& layer, std::size_t i) {
  return std::isfinite(layer.x[i]) && std::isfinite(layer.y[i]) &&
         (layer.x2.empty() || std::isfinite(layer.x2[i])) &&
         (layer.y2.empty() || std::isfinite(layer.y2[i]));
}

double opacity(const Layer& layer, std::size_t i) {
  return layer.opacity * (layer.shade.empty() ? 1 : layer.shade[i]);
}

std::string outline(Symbol symbol) {
  if (symbol == Symbol::up || symbol == Symbol::down) {
    // As Vega draws it: the tip and the base as far from the middle as each other.
    const double side = std::sqrt(kOpenArea), half = side / 2, down = symbol == Symbol::up ? 1 : -1;
    return fmt::format("M0 {:.3g}L{:.3g} {:.3g}L{:.3g} {:.3g}Z",
                       -half * down,
                       half,
                       half * down,
                       -half,
                       half * down);
  }
  const double r = std::sqrt((symbol == Symbol::dot ? kPointArea : kOpenArea) / std::numbers::pi);
  return fmt::format(
      "M{0:.3g} 0A{1:.3g} {1:.3g} 0 1 1 {1:.3g} 0A{1:.3g} {1:.3g} 0 1 1 {0:.3g} 0Z", -r, r);
}

std::vector<double> to_vector(const Vector& v) { return {v.begin(), v.end()}; }

std::vector<Index> rows_to_draw(Index rows) {
  constexpr Index most = 2000;
  std::vector<Index> out;
  for (Index k = 0; k < std::min(rows, most); ++k)
    out.push_back(rows <= most ? k : k * rows / most);
  return out;
}

std::vector<double> to_vector(const Vector& v, const std::vector<Index>& rows) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const Index i : rows) out.push_back(v[i]);
  return out;
}

}  // namespace ggpm::internal::report
