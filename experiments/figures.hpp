// Figures of the paper that belong to no table.
#pragma once

#include <vector>

#include "experiments/reproduction.hpp"

namespace ggpm::paper {

// Figure 4: a posterior of one latent with its approximations, and the derivative of its logarithm
// with the tangent whose zero is Taylor's mean.
std::vector<report::Chart> posterior_charts();

// The predictive probabilities of whole numbers from 0 to `highest` as shades, darkest at the most
// probable of each column.                                                   (Figure 1, bottom row)
report::Layer count_shades(const Predictions& predictions,
                           const std::vector<double>& x,
                           int highest);

// Mean and two sd of the latent function.                                        (Figure 1, top row)
std::vector<report::Layer> latent_layers(const Predictions& predictions,
                                         const std::vector<double>& x);

}  // namespace ggpm::paper
