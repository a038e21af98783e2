// The model: data + likelihood + kernel + mean + inference, fitted; predictions; the model file.
//
//   Dataset data{.X = X, .observed = {.y = y}};
//   GeneralizedGP model = GeneralizedGP::fit(data, {.likelihood = "poisson", .kernel = "rbf"});
//   Predictions p = model.predictive({.X = Z});
//   Vector rate = p.mean(), highest = p.quantile(0.975);
//   save_model({.model = model}, "counts.ggpm");
//   SavedModel again = load_model("counts.ggpm");
//
// tests/model/header_example_test.cpp runs these lines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ggpm/data.hpp"
#include "ggpm/engine.hpp"
#include "ggpm/inference.hpp"
#include "ggpm/kernel.hpp"
#include "ggpm/learning.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/observations.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

// A smooth function and an intercept that is integrated out with it, so that far from the data a
// prediction goes to the average and not to the mean at eta = 0 (docs/learning.md has the figures).
inline constexpr std::string_view kDefaultKernel = "rbf + constant";

// What is to be fitted. Values in the kernel's and mean's text are where learning starts.
struct Specification {
  // A name of likelihood_table(), the path of a formula (*.toml), or "auto": the simplest of those
  // for such outputs that the data cannot tell from the best (ggpm/choose.hpp).
  std::string likelihood = "gaussian";
  std::string link;  // empty: the paper's
  LikelihoodOptions likelihood_options;
  std::string kernel = std::string(kDefaultKernel);
  std::string mean = "zero";
  // None is "auto": exact for Gaussian outputs, otherwise EP up to 1,000 rows, Laplace beyond. mcmc
  // learns hyperparameters with what auto takes, and draws the latents.
  std::optional<InferenceMethod> inference;
  ExpansionOptions expansion;
  // A standard GP on transformed outputs: log (y > 0), logit and arctanh (0 < y < 1), tanh:3 (a sum
  // of 3 learned tanh steps; Snelson et al. 2004). Needs the gaussian likelihood; inference is
  // exact. Densities and log marginals are those of y, with the Jacobian.
  std::string warp;
  std::string formula;  // text of a formula likelihood; fit() fills it from the file
  EngineOptions engine = {};
  // (d) one unit of each input in units of its column, in which the length-scales and periods of
  // the kernel are given and shown (Kernel::bind); empty: inputs are as their columns.
  std::vector<double> units = {};
};

// What its words mean: a warp is a likelihood of its own, and its inference is exact.
// spelled_out: with the likelihood and the inference that a warp implies.
Specification spelled_out(Specification specification);
std::unique_ptr<Likelihood> make_likelihood(const Specification& specification);
InferenceMethod inference_of(const Specification& specification);  // not left open
std::string likelihood_name(const Specification& specification);   // "poisson", "log-gaussian"

// Largest amount of memory that a fit of n rows will use, in bytes.
std::uint64_t fit_memory(Index rows,
                         Index inputs,
                         const FitOptions& options = {},
                         const EngineOptions& engine = {});

struct Interval {
  double lower = 0, upper = 0;                  // of the parameter itself
  bool lower_open = false, upper_open = false;  // the bound was reached before the level
};

// A parameter with what learning found.
struct FittedParameter {
  Parameter parameter;  // name, value, fixed, bounds that learning used
  Prior prior;
  bool at_lower = false, at_upper = false;  // ended at a bound
  double unit = 1;  // one unit of the inputs in that of the parameter: Specification::units
  // In its learned coordinate. NaN: held, at a bound, or flat; none: it was not computed.
  std::optional<double> standard_error = {};

  // 95 % from the curvature; none where it was not computed or is no answer.
  std::optional<Interval> interval() const;
  // Computed, and so wide that the data do not tell the parameter.
  bool unidentified() const;
  std::string remark() const;  // "held", "at its lower bound", "not identified", or empty
};

struct FitReport {
  bool converged = true;  // inference and optimizer
  bool optimized = false;
  bool interrupted = false;
  int evaluations = 0;               // of log marginals in the whole fit
  Index learned_rows = 0;            // hyperparameters are those of so many rows; 0: of all
  Report inference;                  // of the final posterior
  std::string detail;                // one sentence for a person, empty if all went well
  std::vector<std::string> choices;  // what "auto" took, and why; not in the model file
};

// Leave-one-out predictive distributions, without refitting.
struct LeaveOneOutScores {
  Vector latent_mean, latent_variance;   // (n) of the cavities, without offset and exposure
  Vector log_density;                    // (n) log p(y_i | other rows)
  Vector cdf_below, cdf;                 // (n) P(Y < y_i), P(Y <= y_i); see probability_bounds
  std::vector<Index> improper;           // rows (from 0) without a proper cavity
  double total = 0, standard_error = 0;  // of the sum of log densities
  // (n) uniform if the model is right: between cdf_below and cdf at random (reproducible).
  Vector pit(std::uint64_t seed = 1) const;
};

// By how much the log densities a of rows exceed b of the same rows, in all.
struct DensityDifference {
  double total = 0, standard_error = 0;
};
DensityDifference difference_of(const Vector& a, const Vector& b);

// Log densities of rows predicted by models that learned without them, hyperparameters included.
struct RefittedScores {
  int folds = 0;
  Vector log_density;                    // (n) of the training rows
  double total = 0, standard_error = 0;  // of the sum
};

// Hyperparameters that answers are averaged over.
struct HyperparameterPoint {
  double weight = 0;  // they sum to 1
  Hyperparameters at;
  double log_marginal = 0;
};
struct IntegratedHyperparameters {
  std::vector<HyperparameterPoint> points;  // the heaviest first
  double log_evidence = 0;  // of y, hyperparameters integrated out under their priors
};

// Draws of the latents that answers are averages of.
struct SampledLatents {
  Matrix draws;  // (n, count) with offset and exposure; those of the first chain come first
  int chains = 0;
  double r_hat = 0, ess = 0;      // the largest and the smallest of all latents, before thinning
  double log_marginal_error = 0;  // standard error of log_marginal()
};

namespace internal {
struct ModelState;  // src/model/state.hpp
struct Blend;       // src/model/blend.hpp
class BlendedMean;
}  // namespace internal

// Predictive distributions of rows, in units of y (counts for the binomial). The model stays alive
// with it. Every method costs O(rows) memory; results do not depend on the number of threads.
// Every answer is finite and inside the domain of y, and quantiles are in order; NumericalError
// names the row where that cannot be had in doubles. NaN are only means and variances that do not
// exist (student-t) or are beyond the largest double, and modes where there is none.
class Predictions {
 public:
  Index size() const { return latent_mean_.size(); }
  // Of the latent function without offset and exposure, whatever the family and link.
  const Vector& latent_mean() const { return latent_mean_; }
  const Vector& latent_variance() const { return latent_variance_; }
  // (rows, C) of several classes, which have a latent function each; the two above are NaN then.
  const Matrix& class_means() const { return class_mean_; }
  const Matrix& class_variances() const { return class_variance_; }
  Matrix level_probabilities() const;  // (rows, levels) of ordered levels or several classes

  std::unique_ptr<Predictive> row(Index i) const;  // valid as long as this object
  Domain domain() const;                           // of y

  Vector mean() const;
  Vector variance() const;
  Vector mode() const;
  Vector quantile(double p) const;
  Matrix quantiles(const std::vector<double>& p) const;  // (rows, p)
  Vector cdf(const Vector& y) const;
  // Of a censored row: of what is known of y.
  Vector log_density(const Vector& y) const;
  // P(Y < y) and P(Y <= y); of censored rows the probabilities below and up to where y is known to
  // be. They agree where y is continuous and observed.
  std::pair<Vector, Vector> probability_bounds(const Vector& y) const;
  const Observations& observed() const { return observed_; }  // as the likelihood sees them
  bool are_survival_times() const;
  Matrix sample(Index count, std::uint64_t seed) const;  // (rows, count), independent rows

  // Of the mean of y given the latent function: a rate, a probability. What is uncertain here is
  // the function, not a new y. With offset and exposure, in units of y; NaN where there is no mean,
  // or none that a double can hold. UsageError where the mean is not monotone in the latent.
  Matrix mean_quantiles(const std::vector<double>& p) const;  // (rows, p)
  Vector mean_above(double threshold) const;                  // P(mean > threshold)

 private:
  friend class GeneralizedGP;
  double eta_mean(Index i) const { return latent_mean_[i] + shift_[i]; }

  internal::BlendedMean mean_of(Index i) const;
  void predict_classes(const Matrix& X);
  Place place(Index i) const;  // for messages
  std::shared_ptr<const internal::ModelState> state_;
  Observations observed_;  // as the likelihood sees them
  std::string source_;
  std::vector<Index> row_numbers_;
  Vector latent_mean_, latent_variance_;
  Vector shift_;  // offset and log exposure
  std::shared_ptr<const internal::Blend>
      blend_;  // none: one Gaussian and one likelihood say it all
  Matrix class_mean_, class_variance_, class_probability_;  // (rows, C), or empty
  int threads_ = 0;
};

// A function that is drawn: the latent one without offset and exposure, the mean of y given it, or
// outputs.
enum class Drawn { latent, mean, outcome };

// A summand of the latent function.
struct TermPrediction {
  std::string name;       // of KernelTerm; "prior" for the prior mean, which has no variance
  Vector mean, variance;  // (rows)
};

// A fitted model. Immutable, cheap to copy, may be used by any number of threads.
class GeneralizedGP {
 public:
  // Every row has a y. DataError names the first row that the likelihood cannot take.
  static GeneralizedGP fit(Dataset data,
                           const Specification& specification,
                           const FitOptions& options = {});

  const Specification& specification() const;  // as given
  const Likelihood& likelihood() const;        // with its fitted dispersion
  const Kernel& kernel() const;                // bound, with fitted values
  const Mean& mean() const;
  InferenceMethod inference() const;  // exact where a warp was asked for
  Domain domain() const;              // of y
  Index rows() const;
  Index dimensions() const;
  const std::vector<std::string>& columns() const;
  const Matrix& inputs() const;
  const Observations& observations() const;  // of the training rows, as given

  const Hyperparameters& hyperparameters() const;
  std::vector<FittedParameter> parameters() const;  // kernel, mean, dispersion
  double log_marginal() const;                      // of y, in its units
  const Hyperparameters& gradient() const;
  // With a warp: of the latents of the transformed outputs. Of C classes: vectors of C n numbers,
  // class by class.
  const Posterior& posterior() const;
  const FitReport& report() const;
  const std::vector<Optimum>& optima() const;  // all that were found, the best of the method first
  const std::vector<Warning>& warnings() const;
  double seconds() const;  // wall time of fit; 0 for a loaded model
  EngineSummary engine() const;
  std::uint64_t seed() const;
  // What the fit computed of these, and the model file keeps.
  const std::optional<Hyperparameters>& standard_errors() const;
  const std::optional<RefittedScores>& refitted() const;
  // None: the optimum is taken for known. Where there are points, hyperparameters(), posterior() and
  // log_marginal() are those of the optimum, and answers about rows are averages.
  std::optional<IntegratedHyperparameters> integrated() const;
  // None: inference is not mcmc. Otherwise posterior() is the Gaussian that the draws began with,
  // and log_marginal() is annealed.
  const std::optional<SampledLatents>& sampled() const;

  // In learned coordinates (logarithms where positive), from the curvature of the log marginal at
  // the optimum; NaN where it is fixed, at a bound or flat. Costs two evaluations per parameter.
  Hyperparameters compute_standard_errors(int threads = 0) const;
  // Where the log marginal, maximized over the other parameters, is chi-square(level)/2 below its
  // optimum. Costs some tens of short optimizations.
  Interval compute_profile_interval(std::string_view parameter, double level = 0.95) const;
  // At other hyperparameters; the gradient in learned coordinates, if wanted.
  double log_marginal_at(const Hyperparameters& at, Hyperparameters* gradient = nullptr) const;
  // The same from one vector of learned coordinates, in the order of parameters().
  double log_marginal_at(const Vector& learned, Vector* gradient = nullptr) const;

  LeaveOneOutScores loo() const;

  // The latent function without offset and exposure: at the training rows, and at new ones, whose
  // outputs are not looked at.
  Vector latent_mean() const;
  Vector latent_variance() const;
  void latent(const Dataset& rows, Vector& mean, Vector& variance) const;
  Matrix latent_covariance(const Dataset& rows) const;  // (rows, rows)
  Predictions predictive(const Dataset& rows, int threads = 0) const;
  // (rows, count) draws from the posterior, a function each: rows belong together. O(rows^3).
  Matrix draw(const Dataset& rows,
              Index count,
              std::uint64_t seed,
              Drawn what = Drawn::latent) const;
  // The latent function as the sum it is: the prior mean unless it is zero, and the summands of the
  // kernel. UsageError where the engine holds no more than their sum.
  std::vector<TermPrediction> terms(const Dataset& rows) const;

  explicit GeneralizedGP(std::shared_ptr<const internal::ModelState> state);
  const internal::ModelState& state() const { return *state_; }

 private:
  std::shared_ptr<const internal::ModelState> state_;
};

// The gradient of the log marginal beside central differences, in learned coordinates.
struct GradientCheck {
  std::vector<std::string> names;  // of parameters()
  Vector gradient, differences;
  double largest = 0;  // difference, relative to max(1, |differences|)
};
GradientCheck check_gradient(const GeneralizedGP& model);

// ---- The model file (docs/model-file.md)

struct SavedModel {
  GeneralizedGP model;
  std::optional<Design> design = {};  // how a table becomes X; none: arrays were given
  ColumnRoles roles = {};
  std::map<std::string, std::string> provenance =
      {};  // version (filled in), command, data hash, ...

  // The rows of a table as the model wants them: inputs by the design, columns by their roles;
  // outputs where the table has the target.
  Dataset rows(const Table& table) const;
  Matrix inputs(const Table& table) const;  // X of those rows
};

// The slope of the latent function along an input, in its own units, or a level of it.
struct Coefficient {
  std::string term;   // "linear", "linear#2", "constant", "mean"
  std::string input;  // or "intercept", with inputs at their center
  double estimate = 0, standard_error = 0;
  double lower = 0, upper = 0;  // of the level asked for
};
// Of linear and constant kernels (posterior of the weights) and of the prior mean (NaN errors where
// the curvature tells none).
std::vector<Coefficient> compute_coefficients(const SavedModel& model, double level = 0.95);

// Atomic: the file of that name is the old one or the new one. Same model, same bytes.
void save_model(const SavedModel& model, const std::string& path);
// DataError with a sentence for whatever is not a whole, valid file of a version that is known.
SavedModel load_model(const std::string& path);
std::string to_bytes(const SavedModel& model);
SavedModel from_bytes(std::string_view bytes, const std::string& source = "model");

}  // namespace ggpm
