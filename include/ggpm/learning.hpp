// How hyperparameters are learned: what is asked for, and what comes out of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/inference.hpp"
#include "ggpm/prior.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

// Values (not logarithms) in the order of parameters(); also the shape of gradients and standard
// errors, which are with respect to the logarithm where Parameter::positive.
struct Hyperparameters {
  Vector kernel, mean, dispersion;  // dispersion: all parameters of the likelihood
  Index size() const { return kernel.size() + mean.size() + dispersion.size(); }
  Vector flat() const;  // kernel, mean, dispersion
};

struct Optimum {
  double log_marginal = 0;  // of `method`; with priors, without their density
  Hyperparameters at;
  InferenceMethod method = InferenceMethod::laplace;
  bool converged = true;  // of the optimizer and the inference at its end
  int evaluations = 0;    // of this run
};

struct FitProgress {
  std::string_view stage;   // "taylor starts", "taylor optima", "laplace", ...
  int restart = 0;          // runs of this stage that are finished
  int restarts = 0;         // runs of this stage
  int evaluation = 0;       // of the whole fit, so far
  double log_marginal = 0;  // best of this stage, so far
  double seconds = 0;       // since fit began
  double left = -1;         // seconds until the hyperparameters are learned, a guess; < 0: none yet
};

// The fit was interrupted before there was anything to return.
class Interrupted final : public Error {
  using Error::Error;
};

// What becomes of what the data leave open about hyperparameters.
enum class HyperparameterUse {
  optimum,    // the most likely ones are taken for known
  integrate,  // answers are averages over some tens of them, with weights (docs/trust.md)
};

struct FitOptions {
  bool optimize = true;       // false: the given hyperparameters are used as they are
  int restarts = 50;          // random starts; 0: only from the given values
  int keep = 3;               // distinct optima of the starts that start the inference method
  bool taylor_starts = true;  // false: random starts run with the inference method itself
  std::uint64_t seed = 1;
  // Runs side by side, each with one BLAS thread. 0: as many as BLAS uses (OPENBLAS_NUM_THREADS, or
  // the cores). While a fit runs, the number of BLAS threads of the process is changed.
  int threads = 0;
  double tolerance = 1e-5;            // of the log marginal, at which a run stops
  int max_evaluations = 200;          // of the log marginal, each run
  double inference_tolerance = 1e-9;  // of the final posterior (InferenceOptions)
  int inference_iterations = 500;
  // Standard errors of the hyperparameters, kept in the model: two evaluations for each. Left out
  // beyond 1,000 rows, where they take long.
  bool standard_errors = true;
  int refit_folds = 0;  // > 1: cross-validation in which every part learns again; kept in the model
  std::vector<std::string> fixed;       // names of parameters that are held: "dispersion"
  std::map<std::string, Prior> priors;  // by name, besides those in the kernel's and mean's text
  // Where it is `integrate`, hyperparameters without a prior get one that is scaled by the data, and
  // the optimum is that of their density in learned coordinates.
  HyperparameterUse hyperparameters = HyperparameterUse::optimum;
  std::uint64_t memory_limit = 0;  // bytes; a fit that needs more is refused. 0: none
  // A file that says how far the fit has come, written after every step of the optimizer. One that is
  // there already is where this fit goes on; DataError if it is of other rows or other options. Empty:
  // none.
  std::string resume;
  // Both are called by the thread that called fit, the first at least every few seconds, `interrupted`
  // about 20 times a second. When it
  // says true, fit returns the best model so far and report() says so.
  std::function<void(const FitProgress&)> on_progress = {};
  std::function<bool()> interrupted = {};
};

}  // namespace ggpm
