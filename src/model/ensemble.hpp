// Answers of a model that are averages: over hyperparameters (its members), or over draws of the
// latents. A model that is neither is one Gaussian.
#pragma once

#include "learn/parallel.hpp"
#include "model/blend.hpp"
#include "model/rows.hpp"
#include "model/state.hpp"

namespace ggpm::internal {

// UsageError for what cannot be averaged.
void check_averages(const Specification& specification, const FitOptions& options);
// After learning, where it was asked for: a member for each point around the optimum, or draws of the
// latents with the annealed log marginal; neither if the fit was interrupted. Notes are for a person.
void add_averages(ModelState& state,
                  const FitOptions& options,
                  Monitor& monitor,
                  std::vector<Warning>& notes);
// The same rows at another point.
std::shared_ptr<const ModelState> make_member(const ModelState& whole,
                                              Hyperparameters at,
                                              double log_marginal,
                                              Posterior posterior);
// One sentence: with what mcmc has learned.
std::string learning_choice(const LearningTask& task);

// What the members or draws say of the latent function at new rows; null for one Gaussian.
std::shared_ptr<const Blend> blend_of(const ModelState& state,
                                      const Dataset& rows,
                                      const PreparedRows& prepared);

// Mean and covariance of the latent function given one member, or one draw: what joint draws need.
class JointLatent {
 public:
  JointLatent(const ModelState& state, const Dataset& rows, const PreparedRows& prepared);
  // A function, and the likelihood that goes with it.
  struct Function {
    Vector latent;
    const Likelihood* likelihood;
  };
  Function draw(std::mt19937_64& random);
  Matrix covariance() const;  // of the average

 private:
  struct Part {
    const ModelState* state = nullptr;
    double weight = 1;
    Vector mean;
    Matrix root = {};  // made when it is first drawn from
  };
  const Matrix& root_of(Part& part);

  const ModelState& state_;
  const Dataset& rows_;
  std::vector<Part> parts_;
  Matrix means_;  // (rows, draws) of mcmc
};

// A summand of the kernel by its place: mean and variance, averaged over members. UsageError for
// draws, which are those of the sum.
void predict_term(
    const ModelState& state, std::size_t term, const Matrix& Z, Vector& mean, Vector& variance);

// What is said of each training row without it: parts, and their weights for each row.
struct LeftOut {
  Blend blend;    // mean and variance with offset and exposure
  Matrix weight;  // (parts, n)
  Vector log_density;
  std::vector<Index> improper;
};
// The posterior of hyperparameters, or of latents, without row i has weights divided by the density
// of y_i; those of draws are truncated (Ionides 2008), and rows whose weights have no variance (Pareto
// k above 0.7) are improper.
LeftOut leave_out(const ModelState& state);

}  // namespace ggpm::internal
