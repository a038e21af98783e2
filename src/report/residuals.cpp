// What is left of the outputs, against each input.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "numeric/constants.hpp"
#include "report/bands.hpp"
#include "report/calibration.hpp"
#include "report/row_points.hpp"

namespace ggpm::internal::report {
namespace {

constexpr Index kRowsPerGroup = 20, kMostGroups = 10;

// Normal if the model is right, whatever the likelihood: the PIT on the scale of deviations.
Vector normal_residuals(const ScoredRows& scored) {
  const boost::math::normal standard;
  return scored.pit.unaryExpr(
      [&](double p) { return boost::math::quantile(standard, std::clamp(p, 1e-6, 1 - 1e-6)); });
}

struct Group {
  double x, mean, error;
};

Group group_of(const std::vector<Index>& rows, const Vector& x, const Vector& residual) {
  Group out{0, 0, kNormal95 / std::sqrt(static_cast<double>(rows.size()))};
  for (const Index i : rows) {
    out.x += x[i] / static_cast<double>(rows.size());
    out.mean += residual[i] / static_cast<double>(rows.size());
  }
  return out;
}

// Levels, or about as many rows in each along a number.
std::vector<Group> groups_along(const Input& input, const Vector& x, const Vector& residual) {
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return x[a] < x[b]; });
  const Index wanted = std::clamp<Index>(x.size() / kRowsPerGroup, 1, kMostGroups);
  std::vector<Group> out;
  std::vector<Index> rows;
  for (std::size_t k = 0; k < order.size(); ++k) {
    rows.push_back(order[k]);
    const bool last = k + 1 == order.size();
    const bool same = !last && x[order[k + 1]] == x[order[k]];
    const bool full = input.is_text() || std::ssize(rows) * wanted >= x.size();
    if (!last && (same || !full)) continue;
    out.push_back(group_of(rows, x, residual));
    rows.clear();
  }
  return out;
}

Vector places_of(const Input& input, const Matrix& X) {
  Vector out(X.rows());
  for (Index i = 0; i < X.rows(); ++i)
    out[i] =
        input.is_text() ? static_cast<double>(input.level_of(X, i)) : input.own(X(i, input.first));
  return out;
}

}  // namespace

Residuals residuals_along(const Input& input, const ScoredRows& scored) {
  const Vector x = places_of(input, scored.X), residual = normal_residuals(scored);
  const std::vector<Index> rows = rows_to_draw(scored.size());
  MarkedPoints points("rows", Ink::data, 0.5);
  for (const Index i : rows) {
    const auto k = static_cast<std::size_t>(i);
    points.add(x[i], residual[i], scored.known[k], fmt::format("row {}", scored.number[k]));
  }
  Layer means{.mark = input.is_text() ? Mark::points : Mark::line, .name = "average of groups"};
  Layer errors{.mark = Mark::segments, .name = "95 %"};
  Residuals out;
  for (const Group& group : groups_along(input, x, residual)) {
    means.x.push_back(group.x);
    means.y.push_back(group.mean);
    errors.x.push_back(group.x);
    errors.x2.push_back(group.x);
    errors.y.push_back(group.mean - group.error);
    errors.y2.push_back(group.mean + group.error);
    out.trend = std::max(out.trend, std::abs(group.mean) / group.error);
  }
  out.chart = {.id = fmt::format("residual-{}", input.first),
               .title = input.name,
               .x = axis_of(input),
               .y = {.title = "residual, in deviations"},
               .height = 220};
  const Range span = input.is_text() ? Range{-0.5, static_cast<double>(input.levels.size()) - 0.5}
                                     : Range{x.minCoeff(), x.maxCoeff()};
  points.add_to(out.chart);
  out.chart.layers.push_back({.mark = Mark::line,
                              .ink = Ink::muted,
                              .dashed = true,
                              .x = {span.low, span.high},
                              .y = {0, 0}});
  out.chart.layers.push_back(std::move(errors));
  out.chart.layers.push_back(std::move(means));
  return out;
}

}  // namespace ggpm::internal::report
