// The dense answer: K as one n x n matrix, LAPACK for everything cubic.
//
// Memory: K, the factor and one more n x n matrix for the inverse, 3 n^2 doubles in all; the third
// is allocated by the first question that needs it.
#pragma once

#include "gram/engine.hpp"
#include "gram/signed_cholesky.hpp"

namespace ggpm::internal {

class DenseGram final : public Gram {
 public:
  explicit DenseGram(const Matrix& X) : rows_(X.rows()), X_(X) {}

  void build(const Kernel& kernel) override;
  void set(Matrix K);  // symmetric, full; for tests

  const RowsHere& rows() const override { return rows_; }
  double jitter() const override { return jitter_; }
  int factorizations() const override { return factorizations_; }
  const Vector& diagonal() const override { return diagonal_; }
  void multiply(const Vector& x, Vector& Kx) const override;
  bool condition(const Sites& sites,
                 const Vector& prior_mean,
                 Compute compute,
                 Conditioned& out) override;
  void add_marginals(const Sites& sites, Conditioned& out) override;
  void shrink(Vector& x) const override { factor_.shrink(x); }
  std::unique_ptr<SiteUpdates> one_by_one(const Sites& sites, const Conditioned& q) override;
  Vector pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) override;
  std::unique_ptr<const Conditional> take_conditional(const Kernel& kernel,
                                                      const Vector& alpha) override;

  // The adjoint of K that pull_back hands to the kernel, lower half. Uses up K.
  const Matrix& adjoint(const Vector& alpha, const Vector& v);

 private:
  enum class Inverse { none, triangle, full };  // what Y_ holds

  void reset();
  bool factor(const Vector& precision);
  void variances_by_solving(const std::vector<Index>& rows, Vector& variance) const;
  void variances_from_inverse(const std::vector<Index>& rows, Vector& variance);

  RowsHere rows_;
  const Matrix& X_;  // of the engine
  Matrix K_;
  Vector diagonal_;
  SignedCholesky factor_;
  Matrix Y_;
  Inverse inverse_ = Inverse::none;
  double jitter_ = 0;
  int factorizations_ = 0;
};

// Prediction keeps one n x n matrix, the factor of these sites, and refers to X. The first makes it,
// or throws NumericalError.
std::unique_ptr<const Conditional> make_dense_conditional(const Kernel& kernel,
                                                          const Matrix& X,
                                                          const Posterior& posterior);
std::unique_ptr<const Conditional> make_dense_conditional(const Kernel& kernel,
                                                          const Matrix& X,
                                                          const Vector& alpha,
                                                          SignedCholesky factor);

// For engines that leave few rows to the dense one.
std::shared_ptr<const Engine> make_dense_engine(std::shared_ptr<const Matrix> X,
                                                EngineAccuracy accuracy = EngineAccuracy::normal);

}  // namespace ggpm::internal
