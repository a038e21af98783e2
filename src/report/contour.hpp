// Lines of equal height on a grid.
#pragma once

#include <vector>

#include "report/chart.hpp"

namespace ggpm::internal::report {

// Segments of the line z = level; z(i, j) is at (x[i], y[j]). A cell with a value that is not
// finite has none.
Layer contour(const std::vector<double>& x,
              const std::vector<double>& y,
              const Matrix& z,
              double level);

}  // namespace ggpm::internal::report
