// What a fitted model is made of.
#pragma once

#include <memory>
#include <mutex>

#include "ggpm/model.hpp"
#include "learn/objective.hpp"

namespace ggpm::detail {

struct ModelState {
  Specification specification;
  std::vector<std::string> columns;
  std::vector<Row> rows;  // as given
  Vector offset;          // as given

  LearningTask task;  // data as inference sees them; parts with fitted values; bounds of learning
  Hyperparameters at, gradient;
  double log_marginal = 0;
  Posterior posterior;
  FitReport report;
  std::vector<Optimum> optima;
  std::vector<Warning> warnings;
  double seconds = 0;
  std::uint64_t seed = 1;

  // The one that inference has left, or one that is made by the first who asks, from any thread: a
  // file of n rows claims a factor of n x n numbers, which showing the model does not need. A
  // NumericalError says that there is none, a DataError that there is no memory for it.
  const LatentPredictor& predictor() const;
  void set_predictor(std::unique_ptr<const LatentPredictor> predictor);

 private:
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const LatentPredictor> predictor_;
};

}  // namespace ggpm::detail

namespace ggpm {

// The parts of a specification, bound to inputs and, for a warp, to outputs; values as given.
ModelParts make_parts(const Specification& specification,
                      Index dimensions,
                      const std::vector<std::string>& columns,
                      std::span<const Row> rows);
InferenceOptions make_inference(const Specification& specification, const ModelParts& parts);

// Folds exposures into the offset where the link allows; DataError where they have no meaning.
Observed observe(Matrix X, std::vector<Row> rows, const Vector& offset, const ModelParts& parts);

// The distribution of y, its answers checked; `where` begins the messages. `parts` must outlive it.
std::unique_ptr<Predictive> make_row_predictive(
    const ModelParts& parts, std::string where, const Row& row, double mean, double variance);

// What a person should know of a fit: notes of learning, then what the state shows.
std::vector<Warning> collect_warnings(const detail::ModelState& state, std::vector<Warning> notes);

// The name of input `column` (from 0) for messages.
std::string input_name(const std::vector<std::string>& columns, Index column);

}  // namespace ggpm
