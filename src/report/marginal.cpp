// The log marginal around its best optimum, over two hyperparameters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "learn/optimize.hpp"
#include "learn/runs.hpp"
#include "model/state.hpp"
#include "report/contour.hpp"
#include "report/html.hpp"
#include "report/learning.hpp"

namespace ggpm::internal::report {
namespace {

// How far below the best the lines are.
constexpr std::array<double, 8> kDrops = {0.5, 1, 2, 4, 8, 16, 32, 64};
constexpr double kTolerance = 1e-3;  // of inference: a picture needs no more
constexpr double kWidest = 3;        // to each side, in learned coordinates

std::vector<Index> choose(const ParameterSpace& space, const std::vector<std::string>& names) {
  std::vector<Index> free = space.free(), out;
  for (const std::string& name : names) {
    const Index i = space.find(name);
    if (std::find(free.begin(), free.end(), i) == free.end())
      throw UsageError(fmt::format("contours: {} was held, not learned", name));
    out.push_back(i);
  }
  if (!names.empty()) return out;
  if (free.size() < 2) return {};
  free.resize(2);
  return free;
}

struct Side {
  Index parameter = 0;
  double low = 0, high = 0;  // learned coordinates
  std::vector<double> learned, value;
};

// Some standard errors around the best, wide enough for optima and the path where they are near.
Side side_of(const ParameterSpace& space,
             Index i,
             double best,
             double sd,
             const std::vector<double>& also,
             int grid) {
  const double half = std::isfinite(sd) ? std::clamp(3.5 * sd, 0.3, kWidest) : 2;
  Side side{i, best - half, best + half};
  for (const double place : also)
    if (std::abs(place - best) < kWidest) {
      side.low = std::min(side.low, place - 0.1);
      side.high = std::max(side.high, place + 0.1);
    }
  side.low = std::max(side.low, space.to_learned(i, space[i].lower));
  side.high = std::min(side.high, space.to_learned(i, space[i].upper));
  for (int k = 0; k < grid; ++k) {
    side.learned.push_back(side.low + (side.high - side.low) * k / (grid - 1));
    side.value.push_back(space.to_value(i, side.learned.back()));
  }
  return side;
}

Matrix evaluate_grid(
    const ModelState& state, const Vector& best, const Side& a, const Side& b, int threads) {
  const auto m = static_cast<Index>(a.learned.size());
  Matrix z = Matrix::Constant(m, m, std::nan(""));
  const FitOptions quiet;
  Monitor monitor(quiet);
  run_objectives(
      monitor, state.task, static_cast<int>(m), threads, [&](Objective& objective, int row) {
        objective.options().tolerance = kTolerance;
        Posterior near = state.posterior;
        for (Index col = 0; col < m; ++col) {
          Vector at = best;
          at[a.parameter] = a.learned[static_cast<std::size_t>(row)];
          at[b.parameter] = b.learned[static_cast<std::size_t>(col)];
          try {
            Evaluation e = objective.evaluate(at, &near, false);
            if (!e.converged()) continue;
            z(row, col) = e.log_marginal;
            near = std::move(e.inferred.posterior);
          } catch (const Error&) {
            // a hole in the picture
          }
        }
      });
  return z;
}

// Half a cell to each side of a grid point.
std::vector<double> edges(const Side& side, const ParameterSpace& space) {
  const double half = (side.learned[1] - side.learned[0]) / 2;
  std::vector<double> out;
  for (const double l : side.learned) out.push_back(space.to_value(side.parameter, l - half));
  out.push_back(space.to_value(side.parameter, side.learned.back() + half));
  return out;
}

Layer cells(
    const Side& a, const Side& b, const ParameterSpace& space, const Matrix& z, double top) {
  Layer out{.mark = Mark::boxes, .opacity = 0.55, .value_name = "log marginal"};
  const std::vector<double> x = edges(a, space), y = edges(b, space);
  for (Index i = 0; i < z.rows(); ++i)
    for (Index j = 0; j < z.cols(); ++j) {
      if (!std::isfinite(z(i, j))) continue;
      const auto p = static_cast<std::size_t>(i), q = static_cast<std::size_t>(j);
      out.x.push_back(x[p]);
      out.x2.push_back(x[p + 1]);
      out.y.push_back(y[q]);
      out.y2.push_back(y[q + 1]);
      out.shade.push_back(1 / (1 + std::max(0.0, top - z(i, j)) / 4));
      out.value.push_back(z(i, j));
    }
  return out;
}

Axis axis_of(const Side& side, const ParameterSpace& space) {
  return {.title = space[side.parameter].name,
          .range = Range{space.to_value(side.parameter, side.low),
                         space.to_value(side.parameter, side.high)},
          .log = space[side.parameter].positive};
}

}  // namespace

ClimbedPath climb_again(const GeneralizedGP& model) {
  ClimbedPath out;
  const LearningTask& task = model.state().task;
  Objective objective(task);
  objective.options().tolerance = kTolerance;
  ClimbOptions options;
  options.max_evaluations = 60;
  options.on_better = [&](const Climb& best) {
    out.points.push_back(best.at);
    out.log_marginal.push_back(best.best.log_marginal);
  };
  try {
    (void)climb(objective, task.space.values(), options);
  } catch (const Error&) {
    // as far as it got
  }
  return out;
}

std::optional<Chart> marginal_chart(const GeneralizedGP& model,
                                    const LearningOptions& options,
                                    const std::optional<Hyperparameters>& errors,
                                    const ClimbedPath& path) {
  const ModelState& state = model.state();
  const ParameterSpace& space = state.task.space;
  const std::vector<Index> chosen = choose(space, options.parameters);
  const int grid = options.grid < 0 ? affordable_grid(model) : options.grid;
  if (chosen.size() != 2 || grid < 2) return std::nullopt;
  const Vector best = space.learned(state.at);
  const Vector sd = errors ? errors->flat() : Vector::Constant(best.size(), std::nan(""));

  std::array<Side, 2> sides;
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> also;
    for (const Optimum& optimum : model.optima())
      if (optimum.method == model.inference()) also.push_back(space.learned(optimum.at)[chosen[k]]);
    for (const Vector& point : path.points) also.push_back(point[chosen[k]]);
    sides[k] = side_of(space, chosen[k], best[chosen[k]], sd[chosen[k]], also, grid);
  }
  const auto& [a, b] = sides;
  const Matrix z = evaluate_grid(state, best, a, b, options.threads);
  const double top = model.log_marginal();
  Chart chart{.id = "marginal",
              .title = "Log marginal around the best optimum",
              .caption =
                  "Lines are 0.5, 1, 2, 4, … below the best; the other hyperparameters stay at "
                  "its values. The path is climbed again from the given starting values.",
              .x = axis_of(a, space),
              .y = axis_of(b, space),
              .layers = {cells(a, b, space, z, top)},
              .aspect = 1};
  for (const double drop : kDrops) {
    Layer line = contour(a.value, b.value, z, top - drop);
    line.ink = Ink::model;
    line.opacity = 0.8;
    if (!line.x.empty()) chart.layers.push_back(std::move(line));
  }
  Layer way{.mark = Mark::line, .name = "path of the optimizer", .ink = Ink::accent};
  for (const Vector& point : path.points) {
    way.x.push_back(space.to_value(a.parameter, point[a.parameter]));
    way.y.push_back(space.to_value(b.parameter, point[b.parameter]));
  }
  Layer dots{.mark = Mark::points, .ink = Ink::accent, .opacity = 0.8, .x = way.x, .y = way.y};
  Layer others{
      .mark = Mark::points, .name = "other optima", .ink = Ink::good, .value_name = "log marginal"};
  Layer winner{.mark = Mark::points,
               .name = "best optimum",
               .ink = Ink::data,
               .x = {space.to_value(a.parameter, best[a.parameter])},
               .y = {space.to_value(b.parameter, best[b.parameter])},
               .value = {top},
               .value_name = "log marginal"};
  const std::vector<Optimum>& optima = model.optima();
  for (std::size_t k = 1; k < optima.size(); ++k) {
    const Vector at = optima[k].at.flat();
    others.x.push_back(at[a.parameter]);
    others.y.push_back(at[b.parameter]);
    others.value.push_back(optima[k].log_marginal);
    others.label.emplace_back(to_string(optima[k].method));
  }
  if (way.x.size() > 1) {
    chart.layers.push_back(std::move(way));
    chart.layers.push_back(std::move(dots));
  }
  if (!others.x.empty()) chart.layers.push_back(std::move(others));
  chart.layers.push_back(std::move(winner));
  return chart;
}

}  // namespace ggpm::internal::report
