// The variational bound by inducing points (Titsias 2009; Hensman et al. 2015), as an engine: with it
// KLD's value is a lower bound of the evidence of the kernel's own prior, not of an approximate one.
//
// q(eta) = p(eta | u) q(u) for M points u = L eps, eps ~ N(0, I). With B = K_XZ L^-T and sites P,
//   q(eps) = N(e, S^-1),   S = I + B^T P B,   e = B^T alpha
//   mean = m + B e,   V_ii = b_i^T S^-1 b_i + r_i,   r_i = K_ii - b_i^T b_i
// and KL(q(u) || p(u)) knows nothing of r: `variance` has it and `b` = 1 - P_ii b_i^T S^-1 b_i has not,
// which is all that KLD's formula needs. Since E l'' = -P at its optimum, r moves the bound by -P/2.
#pragma once

#include "gram/engine.hpp"

namespace ggpm::internal {

class VariationalEngine final : public Engine {
 public:
  VariationalEngine(EngineOptions options, std::shared_ptr<const Matrix> X, Matrix points)
      : Engine(std::move(options), std::move(X)),
        points_(std::make_shared<const Matrix>(std::move(points))) {}

  EngineCost cost() const override;
  std::unique_ptr<Gram> make_gram() const override;
  std::unique_ptr<const Conditional> condition(const Kernel& kernel,
                                               const Posterior& posterior) const override;
  std::shared_ptr<const Engine> subset(const std::vector<Index>& rows) const override;
  NamedArrays arrays() const override { return {{"points", *points_}}; }
  const Matrix& points() const { return *points_; }

 private:
  std::shared_ptr<const Matrix> points_;  // (M, d)
};

}  // namespace ggpm::internal
