// Inference: the Gaussian approximation of the posterior over the latents, and its log marginal.
//
// Every method ends as regression on Gaussian sites (eqn:approxpost:common): site i is
// exp(-1/2 precision_i eta^2 + shift_i eta), and
//   q(eta) = N(m + K alpha, (K^-1 + P)^-1),   alpha = (K + P^-1)^-1 (P^-1 shift - m)
// Precisions may be negative where the likelihood is not log-concave; they are never clipped.
//
// Which one when (docs/which-inference.md has the figures):
//   exact     Gaussian outputs: nothing is approximated
//   ep        the best answer for some hundred rows; every likelihood
//   laplace   more rows, many fits; off for counts of 0 and classes that separate; needs a curvature
//   kld       a lower bound of the log marginal; every likelihood
//   vb        the same without integrals, further below; logistic outputs and symmetric noise only
//   taylor    a first look; its log marginal is not comparable with another method's
//   mcmc      the truth, for seconds to minutes; of a fitted model only
// GeneralizedGP (ggpm/model.hpp) takes exact, ep up to 1,000 rows and laplace beyond, unless told.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/engine.hpp"
#include "ggpm/kernel.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/observations.hpp"
#include "ggpm/sites.hpp"
#include "ggpm/types.hpp"

namespace ggpm {

enum class InferenceMethod { exact, taylor, laplace, ep, kld, vb, mcmc };

// What there is, the simplest first.
struct InferenceInfo {
  InferenceMethod method;
  std::string_view name;   // "laplace"
  std::string_view title;  // "Laplace's approximation at the mode"
  std::string_view needs;  // of the likelihood; empty: nothing
};
std::vector<InferenceInfo> inference_table();

std::string_view to_string(InferenceMethod method);      // "exact", "taylor", ...
InferenceMethod parse_inference(std::string_view name);  // UsageError lists what there is

struct Progress {
  int iteration = 0;
  double log_marginal = 0;
  double residual = 0;
};

struct InferenceOptions {
  InferenceMethod method = InferenceMethod::laplace;
  int max_iterations = 1000;  // sweeps over the sites, all fallbacks together
  double tolerance =
      1e-9;              // largest move of a marginal in its own sd; learning does well with 1e-6
  bool gradient = true;  // compute Inferred::gradient
  ExpansionOptions expansion = {};  // Taylor, and the start of the other methods
  std::function<void(const Progress&)> on_iteration = {};  // empty: silent; may throw to interrupt
};

enum class Outcome { converged, iteration_limit, numerical_failure };

struct Report {
  Outcome outcome = Outcome::converged;
  int iterations = 0;      // sweeps or Newton steps
  int factorizations = 0;  // by the engine, of all of K: line searches and fallbacks included
  double residual = 0;     // of the fixed-point equations, in the unit of tolerance
  double jitter = 0;       // added to the diagonal of K because it was numerically indefinite
  std::vector<std::string> fallbacks;  // what had to be tried, in order: "damping", "double loop"
  std::string detail;                  // one sentence for a person, empty if all went well
  bool usable() const { return outcome != Outcome::numerical_failure; }
};

// d log_marginal / d parameter, in the order of parameters() of each part; with respect to the
// logarithm where Parameter::positive.
struct Gradient {
  Vector kernel, mean, dispersion;
};

struct Inferred {
  double log_marginal = 0;
  Posterior posterior;
  Gradient gradient;  // empty vectors unless asked for
  Report report;
};

class LatentPredictor;

// The data of a problem together with the buffers that are reused between evaluations. Use one
// object per thread.
class Inference {
 public:
  // The rows are those of the engine. Checks nothing about y: call Likelihood::check(rows) where
  // the data comes in.
  Inference(std::shared_ptr<const internal::Engine> engine, const Observations& observed);
  Inference(Matrix X, const Observations& observed);  // with the dense engine
  ~Inference();
  Inference(Inference&&) noexcept;
  Inference& operator=(Inference&&) noexcept;

  Index size() const;
  const Matrix& inputs() const;

  // Kernel and mean are bound. `warm` is the posterior of a nearby problem (same rows). Throws
  // UsageError for a combination that does not exist and NumericalError when nothing usable came
  // out; a run that stopped short says so in the report.
  Inferred evaluate(const Kernel& kernel,
                    const Mean& mean,
                    const Likelihood& likelihood,
                    const InferenceOptions& options = {},
                    const Posterior* warm = nullptr);

  // The latent function given the posterior evaluated last, with the factors that evaluating it
  // has left: free where the engine can hand them on, otherwise they are made again. At most once
  // after each evaluation.
  LatentPredictor predictor();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The latent function at new inputs. Immutable: may be shared between threads.
class LatentPredictor {
 public:
  LatentPredictor(std::shared_ptr<const internal::Engine> engine,
                  const Kernel& kernel,
                  const Posterior& posterior);
  LatentPredictor(const Kernel& kernel, Matrix X, const Posterior& posterior);  // dense
  ~LatentPredictor();
  LatentPredictor(LatentPredictor&&) noexcept;
  LatentPredictor& operator=(LatentPredictor&&) noexcept;

  // In blocks of rows: memory does not grow with Z. `prior_mean` (m) includes the offset.
  void predict(const Matrix& Z, const Vector& prior_mean, Vector& mean, Vector& variance) const;
  Matrix covariance(const Matrix& Z) const;  // (m, m)
  // A summand of the kernel by itself. UsageError where the engine holds no more than the sum.
  void predict_term(const Kernel& term, const Matrix& Z, Vector& mean, Vector& variance) const;

 private:
  friend class Inference;
  struct State;
  explicit LatentPredictor(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

// Leave-one-out predictive distributions without refitting: the cavities of the sites.
struct LeaveOneOut {
  Vector mean, variance;  // (n) of the latent
  Vector log_density;     // (n) of y_i given the other rows; for EP it is log Z_i
  std::vector<Index>
      improper;  // rows (from 0) without a proper cavity; they hold the marginal instead
};
LeaveOneOut leave_one_out(const Likelihood& likelihood,
                          const Observations& observed,
                          const Posterior& posterior);

}  // namespace ggpm
