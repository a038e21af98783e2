// Where the site iteration of EP and KLD begins, and how it ends.
#pragma once

#include "inference/iterate.hpp"

namespace ggpm {

// An evaluated point: the warm sites if they still give a proper Gaussian, else those of a few
// Newton steps to the mode, else sites matched to the prior one at a time, else tight sites around
// the mode.
SitePoint start_sites(const Problem& problem, SiteIteration& iteration);

// Fills the solution from the point where the iteration ended; the point was evaluated last.
void finish(const Problem& problem,
            const SiteRule& rule,
            bool converged,
            SitePoint& point,
            Solution& solution);

// Over the rows, of what a likelihood returned with Dphi::wanted.
template <class Moments>
Vector sum_of_dphi(const std::vector<Moments>& rows, Index dispersions) {
  Vector sum = Vector::Zero(dispersions);
  for (const Moments& row : rows)
    for (Index k = 0; k < dispersions; ++k) sum[k] += row.dphi[static_cast<std::size_t>(k)];
  return sum;
}

}  // namespace ggpm
