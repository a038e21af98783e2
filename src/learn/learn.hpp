// Learning: random starts with a cheap method, the best distinct optima start the chosen one.
//                                                                  (Section 7, fig:figEffTay)
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learn/objective.hpp"
#include "learn/optimize.hpp"
#include "learn/parallel.hpp"

namespace ggpm::internal {

// Stage 1 climbs from every start for a few evaluations on few rows, stage 2 takes the promising
// points to their optimum, stage 3 starts the inference method from the best of those, on few rows
// first where there are many. The figures behind these numbers are in docs/learning.md.
inline constexpr Index kScreeningRows = 200;
inline constexpr int kScreeningEvaluations = 10;
inline constexpr Index kRoughRows = 300;
inline constexpr Index kStartRows = 500;
inline constexpr double kRoughly = 0.05;  // nats, of an optimum that is only a start
// An optimum on a part of the rows that is so many nats below the best is none to go on with.
inline constexpr double kClearlyWorse = 4;
// With few parameters starts are dense, and a box of this half width keeps each in its basin. With
// many, the box would only keep them from getting anywhere in so few evaluations.
inline constexpr double kStartRadius = 0.5;
inline constexpr std::size_t kFewParameters = 3;
// Parameters of a kernel with one length-scale, an intercept and a dispersion: a marginal with few
// optima, which 300 rows have as well.
inline constexpr std::size_t kSimple = 4;
// How well inference is solved while learning. Log marginals are right to the square of it: at 1e-5
// to 1e-9, and gradients to 1e-5 of their size (n = 500).
inline constexpr double kLearningTolerance = 1e-5;

struct Learned {
  Hyperparameters at;
  Evaluation best;  // at the inference tolerance that was asked for, with gradient
  std::unique_ptr<const LatentPredictor> predictor;  // of the best, where inference has left it
  bool converged = true;
  bool interrupted = false;
  Index rows = 0;  // that the hyperparameters were learned from; 0: all
  std::vector<Optimum> optima;
  std::vector<Warning> notes;  // about the data: constant inputs
};

// How far learning has come: enough to go on from there.
struct LearningState {
  struct Candidate {
    Vector at;         // all learned coordinates
    Matrix curvature;  // as Climb has it
    Posterior warm;    // there, on all rows: sites and alpha alone; empty: not known
  };
  int part = 0;  // of Plan::parts: which the candidates are about to be climbed on
  // Where the engine of that part was made: elsewhere its approximation, and the optimum, would be
  // others. Empty: at the values given.
  Vector engine_at;
  std::vector<Candidate> candidates;
  int evaluations = 0;
};

// Keeps the state somewhere, where anybody wants that.
struct LearningKeeper {
  std::optional<LearningState> from;                    // go on from there
  std::function<void(const LearningState&)> save = {};  // after each step of the method
};

// The task's parameters get the bounds that learning used.
Learned learn(LearningTask& task,
              const FitOptions& options,
              Monitor& monitor,
              const LearningKeeper& keeper = {});

}  // namespace ggpm::internal
