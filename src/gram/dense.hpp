// The dense answer: K as one n x n matrix, LAPACK for everything cubic.
//
// Memory: K, the factor and one more n x n matrix for the inverse, 3 n^2 doubles in all; the third
// is allocated by the first question that needs it.
#pragma once

#include "gram/gram.hpp"
#include "gram/signed_cholesky.hpp"

namespace ggpm {

class DenseGram final : public Gram {
 public:
  void build(const Kernel& kernel, const Matrix& X) override;
  void set(Matrix K);  // symmetric, full

  Index size() const override { return K_.rows(); }
  double jitter() const override { return jitter_; }
  int factorizations() const override { return factorizations_; }
  const Vector& diagonal() const override { return diagonal_; }
  void multiply(const Vector& x, Vector& Kx) const override;
  bool condition(const Sites& sites,
                 const Vector& prior_mean,
                 Want want,
                 Conditioned& out) override;
  void add_marginals(const Sites& sites, Conditioned& out) override;
  void shrink(Vector& x) const override { factor_.shrink(x); }
  Vector pull_back(const Kernel& kernel,
                   const Matrix& X,
                   const Vector& alpha,
                   const Vector& v) override;

  // The adjoint of K that pull_back hands to the kernel, lower half.
  const Matrix& adjoint(const Vector& alpha, const Vector& v);

 private:
  enum class Inverse { none, triangle, full };  // what Y_ holds

  void reset();
  bool factor(const Vector& precision);
  void variances_by_solving(const std::vector<Index>& rows, Vector& variance) const;
  void variances_from_inverse(const std::vector<Index>& rows, Vector& variance);

  Matrix K_;
  Vector diagonal_;
  SignedCholesky factor_;
  Matrix Y_;
  Inverse inverse_ = Inverse::none;
  double jitter_ = 0;
  int factorizations_ = 0;
};

// Prediction by the same factor; keeps one n x n matrix.
std::unique_ptr<const Conditional> make_dense_conditional(const Kernel& kernel,
                                                          Matrix X,
                                                          const Posterior& posterior);

}  // namespace ggpm
