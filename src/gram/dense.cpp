#include "gram/dense.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "gram/conditioning.hpp"
#include "gram/lapack.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kBlock = 64;

}  // namespace

void DenseGram::build(const Kernel& kernel) {
  lapack::wake_threads();
  kernel.gram(X_, K_);
  reset();
}

void DenseGram::set(Matrix K) {
  K_ = std::move(K);
  rows_ = RowsHere(K_.rows());
  reset();
}

void DenseGram::reset() {
  diagonal_ = K_.diagonal();
  jitter_ = 0;
  factorizations_ = 0;
  inverse_ = Inverse::none;
}

void DenseGram::multiply(const Vector& x, Vector& Kx) const {
  lapack::multiply_symmetric(K_, x, Kx);
}

bool DenseGram::factor(const Vector& precision) {
  using Status = SignedCholesky::Status;
  inverse_ = Inverse::none;
  ++factorizations_;
  Status status = factor_.factor(K_, precision);
  if (status != Status::ok && !K_.allFinite())
    throw NumericalError(
        "the kernel matrix has an entry that is not finite; look for extreme hyperparameters or "
        "inputs");
  climb_jitter(diagonal_.maxCoeff(), status == Status::indefinite, [&](double jitter) {
    K_.diagonal().array() += jitter - jitter_;
    jitter_ = jitter;
    diagonal_ = K_.diagonal();
    ++factorizations_;
    status = factor_.factor(K_, precision);
    return status == Status::indefinite;
  });
  return status == Status::ok;
}

bool DenseGram::condition(const Sites& sites,
                          const Vector& prior_mean,
                          Compute compute,
                          Conditioned& out) {
  if (!sites.shift.allFinite() || !factor(sites.precision)) return false;
  out.log_det = factor_.log_determinant();
  if (compute == Compute::factor) return true;
  out.alpha = factor_.alpha(sites.precision, sites.shift, prior_mean);
  multiply(out.alpha, out.mean);
  out.mean += prior_mean;
  refine_mean(sites, diagonal_, out);
  if (!out.mean.allFinite()) return false;
  if (compute == Compute::marginals) add_marginals(sites, out);
  return true;
}

void DenseGram::add_marginals(const Sites& sites, Conditioned& out) {
  const Vector& precision = sites.precision;
  factor_.inverse_triangle(Y_);
  inverse_ = Inverse::triangle;
  out.b = factor_.inverse_diagonal(Y_);

  // V_ii = (1 - b_i) / P_ii, except where the site is too weak to be seen in b_i.
  const Index n = size();
  out.variance.resize(n);
  std::vector<Index> weak;
  for (Index i = 0; i < n; ++i) {
    out.variance[i] = (1 - out.b[i]) / precision[i];
    if (std::abs(1 - out.b[i]) < kCancellation) weak.push_back(i);
  }
  if (static_cast<Index>(weak.size()) <= std::max(kBlock, n / 8))
    variances_by_solving(weak, out.variance);
  else
    variances_from_inverse(weak, out.variance);
  // b from the better variance where that is the more accurate of the two.
  for (const Index i : weak) out.b[i] = 1 - precision[i] * out.variance[i];
  keep_positive(diagonal_, out.variance);
}

// V_ii = K_ii - k_i^T (K + W)^-1 k_i, in blocks of columns.
void DenseGram::variances_by_solving(const std::vector<Index>& rows, Vector& variance) const {
  const Index n = size(), p = factor_.positive(), total = static_cast<Index>(rows.size());
  Matrix A;
  for (Index start = 0; start < total; start += kBlock) {
    const Index count = std::min(kBlock, total - start);
    A.resize(n, count);
    for (Index c = 0; c < count; ++c) A.col(c) = K_.col(rows[at(start + c)]);
    factor_.half_solve(A);
    for (Index c = 0; c < count; ++c) {
      const Index i = rows[at(start + c)];
      variance[i] =
          diagonal_[i] - A.col(c).head(p).squaredNorm() + A.col(c).tail(n - p).squaredNorm();
    }
  }
}

// V_ii = sign_i / S_i sum_j [M^-1]_ij S_j K_ij: one more third of n^3 for all rows at once.
void DenseGram::variances_from_inverse(const std::vector<Index>& rows, Vector& variance) {
  const Index n = size();
  factor_.inverse(Y_);
  inverse_ = Inverse::full;
  const auto& order = factor_.order();
  const Vector& S = factor_.scale();
  Vector sum = Vector::Zero(n);  // in the order of the data
  for (Index j = 0; j < n; ++j) {
    const Index column = order[at(j)];
    sum[column] += Y_(j, j) * S[column] * K_(column, column);
    for (Index i = j + 1; i < n; ++i) {
      const Index row = order[at(i)];
      const double term = Y_(i, j) * K_(row, column);
      sum[row] += term * S[column];
      sum[column] += term * S[row];
    }
  }
  for (Index i = 0; i < n; ++i) {
    const Index row = order[at(i)];
    sum[row] *= factor_.sign(i) / S[row];
  }
  for (const Index i : rows) variance[i] = sum[i];
}

const Matrix& DenseGram::adjoint(const Vector& alpha, const Vector& v) {
  const Index n = size();
  if (inverse_ == Inverse::none) factor_.inverse_triangle(Y_);
  if (inverse_ != Inverse::full) factor_.inverse(Y_);
  inverse_ = Inverse::none;

  // In place where the order of rows allows, otherwise into K, which has done its work; the factor
  // is kept for prediction.
  const auto& order = factor_.order();
  const Vector& S = factor_.scale();
  Matrix& Kbar = factor_.reordered() ? K_ : Y_;
  for_columns(n, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const Index column = order[at(j)];
      if (factor_.reordered()) {
        for (Index i = j; i < n; ++i) {
          const Index row = order[at(i)];
          Kbar(std::max(row, column), std::min(row, column)) =
              0.5 * (alpha[row] * alpha[column] - S[row] * Y_(i, j) * S[column] +
                     v[row] * alpha[column] + alpha[row] * v[column]);
        }
      } else {
        const Index k = n - j;
        Kbar.col(j).tail(k) = 0.5 * ((alpha[j] + v[j]) * alpha.tail(k) + alpha[j] * v.tail(k) -
                                     S[j] * S.tail(k).cwiseProduct(Y_.col(j).tail(k)));
      }
    }
  });
  return Kbar;
}

Vector DenseGram::pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) {
  return kernel.pull_back(X_, adjoint(alpha, v));
}

// A jitter that came in steps has other bits than the same jitter at once.
std::unique_ptr<const Conditional> DenseGram::take_conditional(const Kernel& kernel,
                                                               const Vector& alpha) {
  if (jitter_ != 0) return nullptr;
  return make_dense_conditional(kernel, X_, alpha, std::exchange(factor_, {}));
}

}  // namespace ggpm::internal
