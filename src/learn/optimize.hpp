// Climbs the log marginal from one start: NLopt's quasi-Newton methods, with failures as steps
// back.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "learn/objective.hpp"

namespace ggpm::internal {

enum class Climber { lbfgs, slsqp };  // learning uses the first; docs/learning.md says why

struct Climb {
  bool usable = false;  // the start could be evaluated
  bool converged = false;
  bool stopped = false;  // by StopRun: `at` and `best` are what was found until then
  int evaluations = 0;
  int failures = 0;  // evaluations that became steps back
  Vector at;         // best point, all learned coordinates
  Evaluation best;
  Matrix curvature;  // minus the second derivatives at `at`, roughly; empty: not known
  Vector ahead;      // where the step leads that promised too little to be tried; empty: none did
};

struct ClimbOptions {
  Climber climber = Climber::lbfgs;
  double tolerance = 1e-5;  // of the objective
  int max_evaluations = 200;
  double first_step = 1;  // length of the first step in learned coordinates
  // Half width of a box around the start, moved along when its wall is reached: keeps a climb in
  // the basin where it began, which a line search may leap out of. 0: only the bounds.
  double radius = 0;
  // Another climb has come to more than this: one with curvature that will not, by what its steps
  // promise, is given up.
  double hopeless = -std::numeric_limits<double>::infinity();
  const Posterior* warm = nullptr;                   // of the same rows, for the first evaluation
  std::function<void(double)> on_evaluation = {};    // with the log marginal; may throw StopRun
  std::function<void(const Climb&)> on_better = {};  // at each best point so far
};

// Moves the parameters that are not held, inside their bounds. An evaluation that fails or whose
// inference does not converge is never compared with others.
Climb climb(Objective& objective, const Vector& start, const ClimbOptions& options);

// From where another climb has ended, on other rows or by another method, with its curvature; where it
// has none, that is made first, by as many evaluations as there are parameters. Ends when a step
// promises less than the tolerance.
Climb climb_from(Objective& objective, const Climb& from, const ClimbOptions& options);

// The end of a climb, with the curvature there made anew by as many evaluations as there are parameters.
Climb with_curvature(Objective& objective, const Climb& end, const ClimbOptions& options);

}  // namespace ggpm::internal
