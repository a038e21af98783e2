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
  Matrix gradients(p, 2 * p);  // a step before and a step behind, along each coordinate
  const FitOptions quiet;
  Monitor monitor(quiet);
  run_objectives(monitor, task, static_cast<int>(2 * p), threads, [&](Objective& objective, int k) {
    Vector moved = at;
    moved[free[static_cast<std::size_t>(k / 2)]] += k % 2 == 0 ? -kStep : kStep;
    gradients.col(k) = objective.evaluate(moved, &warm).gradient(free);
  });
  Matrix H(p, p);
  for (Index j = 0; j < p; ++j)
    H.col(j) = (gradients.col(2 * j) - gradients.col(2 * j + 1)) / (2 * kStep);
  return (H + H.transpose()) / 2;
}

}  // namespace ggpm::internal
