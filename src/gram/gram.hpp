// The questions that inference asks of the prior N(m, K) over the n training latents. K is that of
// an engine, which may approximate the kernel's; site rules, learning and prediction do not know
// how it is held, and ask for nothing of size n x n.
#pragma once

#include <memory>

#include "ggpm/kernel.hpp"
#include "ggpm/sites.hpp"
#include "parallel/rows_here.hpp"

namespace ggpm::internal {

// q(eta) conditioned on sites P, shift, at the rows here.              (eqn:approxpost:common)
struct Conditioned {
  Vector alpha;        // (n) (K + P^-1)^-1 (P^-1 shift - m)
  Vector mean;         // (n) m + K alpha
  Vector b;            // (n) diagonal of (I + P K)^-1: 1 - P_ii V_ii, without its cancellation
  Vector variance;     // (n) V_ii
  double log_det = 0;  // log |I + K P|
};

// factor: log_det only; mean: also alpha and mean; marginals: also b and variance, twice the work.
enum class Compute { factor, mean, marginals };

// The latent function at new inputs, given the sites. Immutable.
class Conditional {
 public:
  virtual ~Conditional() = default;
  // shift (m): what is added to the prior mean.
  virtual void predict(const Matrix& Z, Vector& shift, Vector& variance) const = 0;
  // Without the variance, where that saves most of the work.
  virtual void predict_shift(const Matrix& Z, Vector& shift) const {
    Vector variance;
    predict(Z, shift, variance);
  }
  virtual Matrix covariance(const Matrix& Z) const = 0;
  // The same for one summand of the kernel, what is left being noise to it. UsageError where the
  // engine holds no more than the sum.
  virtual void predict_term(const Kernel& term,
                            const Matrix& Z,
                            Vector& shift,
                            Vector& variance) const;
};

// The marginals of a Gaussian while its sites change one at a time.
class SiteUpdates {
 public:
  virtual ~SiteUpdates() = default;
  virtual double mean(Index i) const = 0;
  virtual double variance(Index i) const = 0;
  // Adds to the natural parameters of site i. False, and nothing has changed, where the Gaussian
  // would become improper or not finite.
  virtual bool add(Index i, double precision, double shift) = 0;
};

// Buffers of one run, for one thread; whoever holds it holds its engine too.
class Gram {
 public:
  virtual ~Gram() = default;

  // Sets K to that of the kernel.
  virtual void build(const Kernel& kernel) = 0;

  // Vectors are those of the rows here; numbers are of all.
  virtual const RowsHere& rows() const = 0;
  Index size() const { return rows().size(); }
  virtual double jitter() const = 0;           // added to the diagonal of K since build
  virtual int factorizations() const = 0;      // since build
  virtual const Vector& diagonal() const = 0;  // K_ii
  virtual void multiply(const Vector& x, Vector& Kx) const = 0;

  // False, and `out` is unspecified, if K^-1 + P is not positive definite (possible only with
  // negative precisions) or a site is not finite. Throws NumericalError if K is not finite.
  virtual bool condition(const Sites& sites,
                         const Vector& prior_mean,
                         Compute compute,
                         Conditioned& out) = 0;

  // Of the sites conditioned on last with less: adds b and variance.
  virtual void add_marginals(const Sites& sites, Conditioned& out) = 0;

  // Of the sites conditioned on last: x <- (I + P K)^-1 x. V x is K times that.
  virtual void shrink(Vector& x) const = 0;
  // Both: x <- (I + P K)^-1 x and Vx = K times that.
  virtual void shrink_and_multiply(Vector& x, Vector& Vx) const {
    shrink(x);
    multiply(x, Vx);
  }

  // Updates that begin at q, the Gaussian of the sites conditioned on last. Null: this engine has
  // none. They live no longer than this object, which may be asked other questions meanwhile.
  virtual std::unique_ptr<SiteUpdates> one_by_one(const Sites& sites, const Conditioned& q) = 0;

  // sum_ij Kbar_ij dK_ij / d log(kernel parameter) for the sites conditioned on last, with
  //   Kbar = 1/2 (alpha alpha^T - (K + P^-1)^-1) + sym(v alpha^T).
  // Uses up K: build comes before every other question but the next.
  virtual Vector pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) = 0;

  // Prediction for the sites conditioned on last, which takes the factor along: build comes next.
  // It has the bits of Engine::condition. Null: the engine has to be asked.
  virtual std::unique_ptr<const Conditional> take_conditional(const Kernel& kernel,
                                                              const Vector& alpha) = 0;
};

}  // namespace ggpm::internal
