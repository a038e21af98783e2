// Smoothing splines of the rainfall by R's mgcv, where R is at hand: what the paper compares with.
#pragma once

#include <optional>

#include "experiments/reproduction.hpp"

namespace ggpm::paper {

// Probabilities of rain at the days of the data.
struct Splines {
  std::vector<double> smooth;    // penalty by REML
  std::vector<double> rough;     // that penalty times 32/4064, the ratio of the two of Fahrmeir
  std::vector<double> adaptive;  // wiggly where the data are
};
// None: there is no Rscript, or no mgcv.
std::optional<Splines> fit_splines(const Dataset& data, const ReproduceOptions& options);

}  // namespace ggpm::paper
