// Hyperparameters integrated out: a few points around the mode of their posterior, with weights, as
// in INLA (Rue, Martino and Chopin 2009, Section 6.5).
#pragma once

#include "learn/objective.hpp"
#include "learn/parallel.hpp"

namespace ggpm::internal {

struct IntegrationPoint {
  double weight = 0;  // they sum to 1
  Vector at;          // learned coordinates
  Evaluation evaluation;
};

struct Integration {
  std::vector<IntegrationPoint> points;  // the heaviest first
  double log_evidence = 0;               // log of the integral of exp(objective)
  int evaluations = 0;
};

// The objective is taken for a log density in the learned coordinates (ParameterSpace::
// set_density_of_learned). Along each eigenvector of its curvature at `mode`, and in each direction,
// the unit is the distance at which the objective has fallen as a Gaussian's would have (the skewness
// correction); there the points of composite_design() are evaluated, and then once more around the
// mean, with the covariance that they have. The weight of a point is that of the design times what
// the objective has there over what the Gaussian has. Parameters that are held or at a bound stay.
// NumericalError if the mode has no usable neighborhood.
Integration integrate(const LearningTask& task,
                      const Vector& mode,
                      const Evaluation& at_mode,
                      int threads,
                      Monitor& monitor);

}  // namespace ggpm::internal
