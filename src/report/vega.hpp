// A chart as a Vega specification: https://vega.github.io/vega/docs/specification
#pragma once

#include "report/chart.hpp"
#include "report/html.hpp"

namespace ggpm::internal::report {

// Signals `xdom` and `ydom` are the ranges shown, which page.js moves to zoom. Colors are
// variables of page.css. `usermeta` holds the words of the tooltips.
Json vega_spec(const Chart& chart);

}  // namespace ggpm::internal::report
