// The bound of KLD or VB as a function of one site, the others held.
#pragma once

#include "inference/bound.hpp"
#include "inference/sites.hpp"

namespace ggpm::internal {

// The bound depends on site i through its marginal N(m, v) alone: E log p - KL(N(m, v) || cavity).
class CavityBound {
 public:
  CavityBound(const Problem& problem,
              Index row,
              double cavity_mean,
              double cavity_variance,
              RowBound expected = exact_rows)
      : likelihood_(problem.likelihood),
        expected_(expected),
        row_(problem.rows.subspan(static_cast<std::size_t>(row), 1)),
        mean_(cavity_mean),
        variance_(cavity_variance) {}

  // Of the maximum, to a thousandth of a standard deviation: a sweep asks again. The climb begins
  // where the site is now: one that has converged takes no steps.
  Site site(const Site& now = {0, 0}) const;

 private:
  struct At {
    double m, s;  // s = log v
    double value, slope_m, slope_s;
    double d1, d2;  // of E log p, in m and (twice) in v
  };
  At at(double m, double s) const;
  At start(const Site& now) const;

  const Likelihood& likelihood_;
  RowBound expected_;
  std::span<const Row> row_;
  double mean_, variance_;
};

}  // namespace ggpm::internal
