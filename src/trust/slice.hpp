// Elliptical slice sampling (Murray, Adams and MacKay 2010) in which the Gaussian is the fitted q.
#pragma once

#include <cstdint>
#include <functional>
#include <random>

#include "trust/target.hpp"

namespace ggpm::internal {

struct Chain {
  Vector eta;            // (n) where it is
  double log_ratio = 0;  // there
  std::mt19937_64 random;
  long evaluations = 0;  // of the ratio
};

// (n, count) draws of q.
Matrix draw_gaussian(const Target& target, Index count, std::mt19937_64& random);

// Chain `number` of a seed, at a draw of q.
Chain start_chain(const Target& target, std::uint64_t seed, std::uint64_t number);

// Steps that leave q ratio^power(step) as it is; after each, visit(step) is called.
void walk(const Target& target,
          Chain& chain,
          int steps,
          const std::function<double(int)>& power,
          const std::function<void(int)>& visit);

}  // namespace ggpm::internal
