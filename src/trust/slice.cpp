#include "trust/slice.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numeric/random.hpp"

namespace ggpm::internal {
namespace {

constexpr int kStepsAtOnce = 32;  // so that drawing their ellipses is one product of matrices

// Box and Muller: std::normal_distribution differs between libraries.
Matrix normal_numbers(Index rows, Index columns, std::mt19937_64& random) {
  Matrix z(rows, columns);
  double* const out = z.data();
  for (Index i = 0; i < z.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log(numeric::uniform(random)));
    const double angle = 2 * std::numbers::pi * numeric::uniform(random);
    out[i] = radius * std::cos(angle);
    if (i + 1 < z.size()) out[i + 1] = radius * std::sin(angle);
  }
  return z;
}

// `ellipse` is a draw of q less its mean. The bracket shrinks to the place where the chain stands,
// so that the loop ends; after so many cuts it is narrower than doubles resolve.
void slice_step(const Target& target, const Vector& ellipse, double power, Chain& chain) {
  constexpr int kMaxCuts = 400;
  const Vector here = chain.eta - target.mean();
  const double level = power * chain.log_ratio + std::log(numeric::uniform(chain.random));
  double angle = 2 * std::numbers::pi * numeric::uniform(chain.random);
  double low = angle - 2 * std::numbers::pi, high = angle;
  Vector trial(here.size());
  for (int i = 0; i < kMaxCuts; ++i) {
    trial = target.mean() + std::cos(angle) * here + std::sin(angle) * ellipse;
    const double log_ratio = target.log_ratio(trial);
    ++chain.evaluations;
    if (power * log_ratio > level) {
      chain.eta.swap(trial);
      chain.log_ratio = log_ratio;
      return;
    }
    (angle < 0 ? low : high) = angle;
    angle = low + (high - low) * numeric::uniform(chain.random);
  }
}

}  // namespace

Matrix draw_gaussian(const Target& target, Index count, std::mt19937_64& random) {
  Matrix draws = target.color(normal_numbers(target.size(), count, random));
  draws.colwise() += target.mean();
  return draws;
}

Chain start_chain(const Target& target, std::uint64_t seed, std::uint64_t number) {
  Chain chain;
  chain.random = numeric::random_stream(seed, number);
  chain.eta = draw_gaussian(target, 1, chain.random);
  chain.log_ratio = target.log_ratio(chain.eta);
  chain.evaluations = 1;
  return chain;
}

void walk(const Target& target,
          Chain& chain,
          int steps,
          const std::function<double(int)>& power,
          const std::function<void(int)>& visit) {
  for (int first = 0; first < steps; first += kStepsAtOnce) {
    const int count = std::min(kStepsAtOnce, steps - first);
    const Matrix ellipses = target.color(normal_numbers(target.size(), count, chain.random));
    for (int k = 0; k < count; ++k) {
      slice_step(target, ellipses.col(k), power(first + k), chain);
      visit(first + k);
    }
  }
}

}  // namespace ggpm::internal
