// The tree's answers: exact for its own prior (tree_prior.hpp), in time and memory linear in n.
//
// Conditioning on sites P adds to the precision of a front's eps
//   Lambda = sum over its leaves B^T (D + P^-1)^-1 B, and what its children hand up;
// a node integrates its own eps out,
//   S = I + Lambda_kk = C C^T,  G = S^-1 Lambda_kA,  to the parent: T^T (Lambda_AA - Lambda_Ak G) T,
// and log |I + K P| = sum over leaves log |I + D P| + sum over nodes log |S|. Means, covariances and
// gradients go down the same way. The Gaussian is proper exactly if all leaves and all S are.
#pragma once

#include <memory>
#include <vector>

#include "gram/engine.hpp"
#include "gram/signed_cholesky.hpp"
#include "gram/tree_prior.hpp"

namespace ggpm::internal {

// Given the sites: eps_own = g - G eps_active + C^-T z.
struct FrontPosterior {
  Matrix C;  // (own, own) lower half
  Matrix G;  // (own, active)
};

class TreeGram final : public Gram {
 public:
  explicit TreeGram(std::shared_ptr<const TreeStructure> structure)
      : structure_(std::move(structure)) {}

  void build(const Kernel& kernel) override;

  const RowsHere& rows() const override { return structure_->rows; }
  double jitter() const override { return jitter_; }
  int factorizations() const override { return factorizations_; }
  const Vector& diagonal() const override { return diagonal_; }
  void multiply(const Vector& x, Vector& Kx) const override;
  bool condition(const Sites& sites,
                 const Vector& prior_mean,
                 Compute compute,
                 Conditioned& out) override;
  void add_marginals(const Sites& sites, Conditioned& out) override;
  void shrink(Vector& x) const override;
  void shrink_and_multiply(Vector& x, Vector& Vx) const override;
  // One site moves every front on its path: sweeps of all sites are the cheaper way here.
  std::unique_ptr<SiteUpdates> one_by_one(const Sites&, const Conditioned&) override {
    return nullptr;
  }
  Vector pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) override;
  std::unique_ptr<const Conditional> take_conditional(const Kernel& kernel,
                                                      const Vector& alpha) override;

  // ---- for prediction ----
  void add_jitter(double jitter);
  const TreeStructure& structure() const { return *structure_; }
  const TreePrior& prior() const { return prior_; }
  const FrontPosterior& posterior(Index front) const { return posteriors_[at(front)]; }
  const SignedCholesky& factor(Index leaf) const { return factors_[at(leaf)]; }
  // Cov(eps, eta) v of the prior, for every front; of alpha it is the posterior mean of eps.
  std::vector<Vector> coordinates(const Vector& ordered_v) const;
  // Sigma, the posterior covariance of the front's eps, from that of its parent (null: the root).
  void covariance(Index front, const Matrix* parent, Matrix& Sigma, Matrix& scratch) const;

 private:
  bool factor(const Vector& precision);
  SignedCholesky::Status factor_once(const Vector& precision);

  std::shared_ptr<const TreeStructure> structure_;
  TreePrior prior_;
  Vector diagonal_;
  std::vector<SignedCholesky> factors_;     // by leaf
  std::vector<FrontPosterior> posteriors_;  // by front
  Vector precision_;                        // ordered, of the sites conditioned on last
  double log_det_ = 0;
  double jitter_ = 0;
  int factorizations_ = 0;
};

std::unique_ptr<const Conditional> make_tree_conditional(
    std::shared_ptr<const TreeStructure> structure,
    const Kernel& kernel,
    const Posterior& posterior);
// For the sites that the gram was conditioned on last.
std::unique_ptr<const Conditional> make_tree_conditional(const Kernel& kernel,
                                                         const Vector& alpha,
                                                         TreeGram gram);

}  // namespace ggpm::internal
