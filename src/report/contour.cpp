#include "report/contour.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace ggpm::internal::report {
namespace {

struct Corner {
  double x, y, z;
};

}  // namespace

// Each cell is two triangles; a line crosses a triangle in one segment or not at all, so that there
// is no ambiguous case.
Layer contour(const std::vector<double>& x,
              const std::vector<double>& y,
              const Matrix& z,
              double level) {
  Layer out{.mark = Mark::segments};
  const auto corner = [&](std::size_t i, std::size_t j) {
    return Corner{x[i], y[j], z(static_cast<Index>(i), static_cast<Index>(j))};
  };
  const auto triangle = [&](const std::array<Corner, 3>& corners) {
    std::array<std::pair<double, double>, 3> points;
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Corner &a = corners[k], &b = corners[(k + 1) % 3];
      if (!std::isfinite(a.z) || !std::isfinite(b.z)) return;
      if ((a.z < level) == (b.z < level)) continue;
      const double t = (level - a.z) / (b.z - a.z);
      points[count++] = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    }
    if (count != 2) return;
    out.x.push_back(points[0].first);
    out.y.push_back(points[0].second);
    out.x2.push_back(points[1].first);
    out.y2.push_back(points[1].second);
  };
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    for (std::size_t j = 0; j + 1 < y.size(); ++j) {
      triangle({corner(i, j), corner(i + 1, j), corner(i, j + 1)});
      triangle({corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)});
    }
  return out;
}

}  // namespace ggpm::internal::report
