// The log marginal and its gradient as a function of the learned coordinates.
#pragma once

#include <memory>

#include "gram/engine.hpp"
#include "learn/space.hpp"

namespace ggpm::internal {

// Its inputs, which keep it alive.
inline std::shared_ptr<const Matrix> inputs_of(const std::shared_ptr<const Dataset>& data) {
  return {data, &data->X};
}

// What the runs of a fit share. Immutable.
struct LearningTask {
  // As inference sees them: exposure folded into the offset where the link allows.
  std::shared_ptr<const Dataset> data;
  std::shared_ptr<const Engine> engine;  // of the rows of data
  ModelParts parts;
  ParameterSpace space;
  InferenceOptions inference;  // method, tolerance, ...
};

struct Evaluation {
  double log_marginal = 0;  // of y
  double objective = 0;     // plus the log density of the priors
  Vector gradient;          // of the objective, in all learned coordinates
  Inferred inferred;        // gradient inside: of the log marginal

  bool converged() const { return inferred.report.outcome == Outcome::converged; }
};

// One per thread: holds the buffers of inference.
class Objective {
 public:
  explicit Objective(const LearningTask& task);

  // `warm`: a nearby posterior. Throws what inference throws; UsageError for impossible values.
  Evaluation evaluate(const Vector& learned, const Posterior* warm = nullptr, bool gradient = true);
  Evaluation evaluate(const Hyperparameters& at,
                      const Posterior* warm = nullptr,
                      bool gradient = true);
  // Of what was evaluated last: Inference::predictor.
  LatentPredictor predictor() { return inference_.predictor(); }
  InferenceOptions& options() { return options_; }
  const LearningTask& task() const { return task_; }

 private:
  const LearningTask& task_;
  InferenceOptions options_;
  Inference inference_;
};

}  // namespace ggpm::internal
