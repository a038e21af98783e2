// Lower bounds of the log marginal that are a sum of rows less a divergence: what KLD and VB climb.
//   E_q log p(y | eta) - KL(q || prior) <= log p(y),
// in which VB puts something smaller in the place of E log p.
#pragma once

#include "inference/problem.hpp"

namespace ggpm::internal {

// Of rows under N(mean, variance): E log p or what is below it, as a function of mean and variance.
// d1 is its derivative in the mean, d2 twice that in the variance.
using RowBound = void (*)(const Likelihood& likelihood,
                          std::span<const Row> rows,
                          std::span<const double> mean,
                          std::span<const double> variance,
                          std::span<Expected> out,
                          Dphi wanted);

inline void exact_rows(const Likelihood& likelihood,
                       std::span<const Row> rows,
                       std::span<const double> mean,
                       std::span<const double> variance,
                       std::span<Expected> out,
                       Dphi wanted) {
  likelihood.expected(rows, mean, variance, out, wanted);
}

// The Gaussian that maximizes it.
Solution maximize_bound(const Problem& problem, const char* name, RowBound rows);

Solution solve_kld(const Problem& problem);

}  // namespace ggpm::internal
