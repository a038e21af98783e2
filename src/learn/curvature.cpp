#include "learn/curvature.hpp"

#include "learn/runs.hpp"

namespace ggpm::internal {
namespace {

constexpr double kStep = 1e-3;  // of the differences, in learned coordinates

}  // namespace

Matrix curvature(const LearningTask& task,
                 const Vector& at,
                 const std::vector<Index>& free,
                 const Posterior& warm,
                 int threads) {
  const auto p = static_cast<Index>(free.size());
  Matrix H(p, p);
  const FitOptions quiet;
  Monitor monitor(quiet);
  run_objectives(monitor, task, static_cast<int>(p), threads, [&](Objective& objective, int j) {
    const auto gradient = [&](double step) {
      Vector moved = at;
      moved[free[static_cast<std::size_t>(j)]] += step;
      return objective.evaluate(moved, &warm).gradient;
    };
    const Vector difference = (gradient(-kStep) - gradient(kStep)) / (2 * kStep);
    for (Index i = 0; i < p; ++i) H(i, j) = difference[free[static_cast<std::size_t>(i)]];
  });
  return (H + H.transpose()) / 2;
}

}  // namespace ggpm::internal
