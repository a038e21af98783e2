// The dense answer again, with K dealt out to the ranks: for rows whose K no machine holds. The same
// numbers as dense to 1e-8, not the same bits. Matrices are in the layout of mpi/ggpm_scalapack.h;
// vectors are on all ranks.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "gram/engine.hpp"
#include "parallel/scalapack.hpp"

namespace ggpm::internal {

// This rank's part of a matrix: which rows and columns of the whole it has.
struct DealtMatrix {
  DealtMatrix() = default;
  DealtMatrix(Index m, Index n);
  int stride() const { return static_cast<int>(std::max<Index>(1, part.rows())); }
  // body(i, j, here) for each number of the diagonal that is here: i and j in the part, `here` in the
  // whole.
  template <class Body>
  void for_diagonal(const Body& body) const {
    std::size_t i = 0;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      while (i < rows.size() && rows[i] < columns[j]) ++i;
      if (i < rows.size() && rows[i] == columns[j])
        body(static_cast<Index>(i), static_cast<Index>(j), columns[j]);
    }
  }
  Index height = 0, width = 0;       // of the whole
  std::vector<Index> rows, columns;  // ascending
  Matrix part;
};

// M = I + S K S = L L^T.
struct DealtFactor {
  // False: not positive definite, or not finite. NumericalError where a precision is negative.
  bool factor(const DealtMatrix& K, const Vector& precision);
  double log_determinant() const;
  void solve(Vector& x) const;            // M^-1
  void half_solve(DealtMatrix& A) const;  // A <- L^-1 S A
  Vector scale;                           // S
  DealtMatrix L;
};

class DistributedGram final : public Gram {
 public:
  explicit DistributedGram(const Matrix& X) : rows_(X.rows()), X_(X) {}

  void build(const Kernel& kernel) override;
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
  void shrink(Vector& x) const override;
  std::unique_ptr<SiteUpdates> one_by_one(const Sites&, const Conditioned&) override {
    return nullptr;
  }
  Vector pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) override;
  std::unique_ptr<const Conditional> take_conditional(const Kernel& kernel,
                                                      const Vector& alpha) override;

  void add_jitter(double jitter);  // to the diagonal of K
  bool factor(const Vector& precision);
  DealtFactor take_factor() { return std::move(factor_); }

 private:
  void need_inverse();

  const RowsHere rows_;
  const Matrix& X_;  // of the engine
  DealtMatrix K_;
  Matrix X_rows_, X_columns_;  // of the part
  Vector diagonal_;
  DealtFactor factor_;
  Matrix inverse_;  // the part of M^-1, lower half
  bool has_inverse_ = false;
  double jitter_ = 0;
  int factorizations_ = 0;
};

std::shared_ptr<const Engine> make_distributed_engine(EngineOptions options,
                                                      std::shared_ptr<const Matrix> X);
EngineCost distributed_cost(EngineCost dense);  // what it takes of a rank, for what that takes

}  // namespace ggpm::internal
