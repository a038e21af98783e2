#include "report/bands.hpp"

#include <fmt/format.h>

namespace ggpm::internal::report {

Axis axis_of(const Input& input) { return {.title = input.name, .categories = input.levels}; }

void add_bands(Chart& chart,
               const Input& input,
               const std::vector<double>& places,
               const Quantiles& quantile,
               const std::vector<double>& middle,
               const std::string& middle_name) {
  double half = 0.3;  // of the boxes of levels, narrower for less
  for (const double level : kBandLevels) {
    Layer layer{.mark = Mark::band,
                .name = fmt::format("{:.0f} %", 100 * level),
                .opacity = level > 0.9 ? 0.16 : 0.2,
                .x = places,
                .y = quantile((1 - level) / 2),
                .y2 = quantile((1 + level) / 2)};
    if (input.is_text()) {
      layer.mark = Mark::boxes;
      for (double& x : layer.x) {
        layer.x2.push_back(x + half);
        x -= half;
      }
      half -= 0.07;
    }
    chart.layers.push_back(std::move(layer));
  }
  chart.layers.push_back({.mark = input.is_text() ? Mark::points : Mark::line,
                          .name = middle_name,
                          .x = places,
                          .y = middle});
}

}  // namespace ggpm::internal::report
