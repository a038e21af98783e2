// Laplace and KLD with a latent function for each class: blocks of C x C numbers where other
// likelihoods have scalar sites (docs/several-classes.md).
#pragma once

#include <optional>

#include "ggpm/inference.hpp"
#include "inference/class_conditional.hpp"

namespace ggpm::internal {

class ClassProblem {
 public:
  ClassProblem(ClassMatrices K,
               Index classes,
               std::span<const Row> rows,
               const InferenceOptions& options)
      : K_(std::move(K)), C_(classes), rows_(rows), options_(options) {}

  void laplace(const Posterior* warm);  // class_laplace.cpp
  void kld(const Posterior* warm);      // class_kld.cpp

  Posterior posterior() const;
  double log_marginal() const { return log_marginal_; }
  // d log_marginal / d K_c, (n, n); of all classes together where they share one.
  std::vector<Matrix> adjoints() const;
  const Report& report() const { return report_; }

 private:
  Index n() const { return K_.rows(); }
  Index level(Index i) const {
    return static_cast<Index>(rows_[static_cast<std::size_t>(i)].y) - 1;
  }
  double weight(Index i) const { return rows_[static_cast<std::size_t>(i)].weight; }

  struct Local {  // of all rows at one point
    double value = 0;
    Matrix slope, d;  // (n, C) d log p/d eta; weight x p
  };
  Local local(const Matrix& eta) const;

  struct Averages {        // of all rows under their marginals
    double value = 0;      // E log p
    Matrix slope, blocks;  // (n, C) E l', (n, C^2) -E l''
  };
  Averages averages() const;

  void condition(ClassConditional conditional, const Matrix& shift);
  Matrix shifts() const { return alpha_ + times_blocks(blocks_, mean_); }
  void finish(Matrix blocks);
  void note(int iteration, double value, double residual);
  Matrix response_of_log_det(const Matrix& d) const;

  ClassMatrices K_;
  Index C_;
  std::span<const Row> rows_;
  const InferenceOptions& options_;
  std::optional<ClassConditional> conditional_;
  Matrix alpha_, mean_;         // (n, C)
  Matrix covariance_, blocks_;  // (n, C^2): of latents, and P
  Matrix v_;                    // (n, C): empty but for Laplace
  double log_marginal_ = 0;
  Report report_;
};

}  // namespace ggpm::internal
