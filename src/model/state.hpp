// What a fitted model is made of.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "ggpm/engine_report.hpp"
#include "ggpm/model.hpp"
#include "inference/classes.hpp"
#include "learn/objective.hpp"

namespace ggpm::internal {

class DrawPredictor;
struct ModelState;

// The model at one point of the hyperparameters that it integrates over.
struct Member {
  double weight = 0;
  std::shared_ptr<const ModelState> state;
};

struct ModelState {
  ModelState();
  ~ModelState();

  Specification specification;
  Observations given;  // of the training rows

  LearningTask task;  // data as inference sees them; parts with fitted values; bounds of learning
  Hyperparameters at, gradient;
  double log_marginal = 0;
  Posterior posterior;
  FitReport report;
  std::vector<Optimum> optima;
  std::vector<Warning> warnings;
  std::optional<Hyperparameters> standard_errors;
  std::optional<RefittedScores> refitted;
  std::vector<Member> members;  // that answers are averaged over; none: the optimum is all
  double log_evidence = 0;      // where there are members
  std::optional<SampledLatents> sampled;  // of mcmc
  bool is_average() const { return sampled || !members.empty(); }
  std::optional<EngineCheck> check;
  double seconds = 0;
  std::uint64_t seed = 1;
  bool designed = false;  // from a file with a design: inputs of a table do not fit as they are

  // The one that inference has left, or one that is made by the first who asks, from any thread: a
  // file of n rows claims a factor of n x n numbers, which showing the model does not need. A
  // NumericalError says that there is none, a DataError that there is no memory for it.
  const LatentPredictor& predictor() const;
  void set_predictor(std::unique_ptr<const LatentPredictor> predictor);
  const DrawPredictor& draw_predictor() const;  // of mcmc, in the same way
  // The same for a model of several classes.
  const ClassPredictor& class_predictor() const;

 private:
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const DrawPredictor> draw_predictor_;
  mutable std::unique_ptr<const LatentPredictor> predictor_;
  mutable std::unique_ptr<const ClassPredictor> class_predictor_;
};

// The parts of a specification, bound to inputs and adapted to the outputs of `data`; values as
// given.
ModelParts make_parts(const Specification& specification, const Dataset& data);
// The method is that which learns: with mcmc what "auto" takes.
InferenceOptions make_inference(const Specification& specification, const Dataset& data);

// Folds exposures into the offset where the link allows; DataError where they have no meaning.
Observations fold_exposure(Observations observed, const Likelihood& likelihood);

// Marks rows without a cavity; NumericalError for what could not be saved and loaded again.
void settle_posterior(Posterior& q);

// Whoever reads a distribution of y of row `i` (from 0) of the training rows: checks its answers.
std::unique_ptr<Predictive> check_left_out(const ModelState& state,
                                           Index i,
                                           double latent_mean,
                                           double latent_variance,
                                           std::unique_ptr<Predictive> predictive);
// The distribution of y of row `i` (from 0) of the training rows, predicted from the others, its
// answers checked. The state must outlive it.
std::unique_ptr<Predictive> predict_left_out(const ModelState& state,
                                             Index i,
                                             double latent_mean,
                                             double latent_variance);

// Below and up to where the output of a row is known to be.
std::pair<double, double> probability_bounds(const Predictive& predictive,
                                             Domain domain,
                                             const Row& row);

// Log densities of parts of the rows under models that learn without them; none if it was
// interrupted. NumericalError if one of them cannot be fitted.
std::optional<RefittedScores> refit_folds(const ModelState& state, const FitOptions& options);

// Whether a Gaussian that leaves so many rows without a proper cavity is one at all. Where a likelihood is not log-concave,
// Laplace's evidence grows without bound as its precision nears a singular one, and learning may end there (student-t: with a
// cavity for a third of the rows). EP has no such optimum.
inline bool has_broken_down(std::size_t improper, Index rows) {
  return 20 * improper > static_cast<std::size_t>(rows);
}

// What a person should know of a fit: notes of learning, then what the state shows.
std::vector<Warning> collect_warnings(const ModelState& state, std::vector<Warning> notes);

}  // namespace ggpm::internal
