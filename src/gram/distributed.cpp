#include "gram/distributed.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "gram/conditioning.hpp"
#include "gram/dense.hpp"
#include "index.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kPredictedAtOnce = 1024;

const ggpm_scalapack& grid() {
  if (ranks_in_step() == nullptr)
    throw std::logic_error("a matrix that ranks share was asked by a thread that is not in step");
  return *scalapack();
}

// Which of `count` rows or columns of a matrix are on the `mine`-th of `parts`.
std::vector<Index> dealt(Index count, Index block, Index parts, Index mine) {
  std::vector<Index> out;
  for (Index begin = mine * block; begin < count; begin += parts * block)
    for (Index i = begin; i < std::min(begin + block, count); ++i) out.push_back(i);
  return out;
}

void sum(Vector& x) { grid().sum(x.data(), at(x.size())); }
void sum(Matrix& x) { grid().sum(x.data(), at(x.size())); }
double sum(double x) {
  grid().sum(&x, 1);
  return x;
}

int size_of(Index n) { return static_cast<int>(n); }

void solve_triangle(const DealtMatrix& L, DealtMatrix& B, int transposed) {
  grid().solve(transposed,
               size_of(B.height),
               size_of(B.width),
               L.part.data(),
               L.stride(),
               B.part.data(),
               B.stride());
}

}  // namespace

DealtMatrix::DealtMatrix(Index m, Index n)
    : height(m),
      width(n),
      rows(dealt(m, grid().block, grid().rows, grid().row)),
      columns(dealt(n, grid().block, grid().columns, grid().column)),
      part(static_cast<Index>(rows.size()), static_cast<Index>(columns.size())) {}

// ---- M = L L^T

bool DealtFactor::factor(const DealtMatrix& K, const Vector& precision) {
  const Index n = precision.size();
  if (!precision.allFinite()) return false;
  Index first = 0;
  if (precision.minCoeff(&first) < 0)
    throw NumericalError(
        fmt::format("the engine dense on several ranks needs outputs whose log density is concave, "
                    "and row {} has a precision of {:.2g}; start it on one, or use the engine tree",
                    first + 1,
                    precision[first]));
  scale = precision.cwiseSqrt().cwiseMax(kSmallestScale);
  if (L.height != n) L = DealtMatrix(n, n);
  L.part = scale(K.rows).asDiagonal() * K.part * scale(K.columns).asDiagonal();
  L.for_diagonal([&](Index i, Index j, Index) { L.part(i, j) += 1; });
  if (grid().factor(size_of(n), L.part.data(), L.stride()) != 0) return false;
  return std::isfinite(log_determinant());
}

double DealtFactor::log_determinant() const {
  double half = 0;
  L.for_diagonal([&](Index i, Index j, Index) { half += std::log(L.part(i, j)); });
  return 2 * sum(half);
}

void DealtFactor::solve(Vector& x) const {
  const Index n = x.size();
  DealtMatrix B(n, 1);
  if (!B.columns.empty()) B.part.col(0) = x(B.rows);
  for (const int transposed : {0, 1}) solve_triangle(L, B, transposed);
  x.setZero();
  if (!B.columns.empty()) x(B.rows) = B.part.col(0);
  sum(x);
}

void DealtFactor::half_solve(DealtMatrix& A) const {
  A.part.array().colwise() *= scale(A.rows).array();
  solve_triangle(L, A, 0);
}

// ---- The questions of inference

void DistributedGram::build(const Kernel& kernel) {
  if (K_.height != size()) K_ = DealtMatrix(size(), size());
  X_rows_ = X_(K_.rows, Eigen::all);
  X_columns_ = X_(K_.columns, Eigen::all);
  kernel.cross(X_rows_, X_columns_, K_.part);
  diagonal_ = kernel.diagonal(X_);  // with white noise, which two rows do not share
  K_.for_diagonal([&](Index i, Index j, Index here) { K_.part(i, j) = diagonal_[here]; });
  if (sum(K_.part.allFinite() ? 0 : 1) > 0)
    throw NumericalError(
        "the kernel matrix has an entry that is not finite; look for extreme hyperparameters or "
        "inputs");
  has_inverse_ = false;
  jitter_ = 0;
  factorizations_ = 0;
}

void DistributedGram::multiply(const Vector& x, Vector& Kx) const {
  Vector out = Vector::Zero(size());
  out(K_.rows) = K_.part * x(K_.columns);
  sum(out);
  Kx = std::move(out);
}

void DistributedGram::add_jitter(double jitter) {
  diagonal_.array() += jitter;
  jitter_ += jitter;
  K_.for_diagonal([&](Index i, Index j, Index here) { K_.part(i, j) = diagonal_[here]; });
}

bool DistributedGram::factor(const Vector& precision) {
  has_inverse_ = false;
  ++factorizations_;
  bool done = factor_.factor(K_, precision);
  climb_jitter(diagonal_.maxCoeff(), !done && precision.allFinite(), [&](double jitter) {
    add_jitter(jitter - jitter_);
    ++factorizations_;
    done = factor_.factor(K_, precision);
    return !done;
  });
  return done;
}

bool DistributedGram::condition(const Sites& sites,
                                const Vector& prior_mean,
                                Compute compute,
                                Conditioned& out) {
  if (!sites.shift.allFinite() || !factor(sites.precision)) return false;
  out.log_det = factor_.log_determinant();
  if (compute == Compute::factor) return true;
  out.alpha = sites.shift - sites.precision.cwiseProduct(prior_mean);
  shrink(out.alpha);
  multiply(out.alpha, out.mean);
  out.mean += prior_mean;
  refine_mean(sites, diagonal_, out);
  if (!out.mean.allFinite()) return false;
  if (compute == Compute::marginals) add_marginals(sites, out);
  return true;
}

// S M^-1 S^-1 x
void DistributedGram::shrink(Vector& x) const {
  x.array() /= factor_.scale.array();
  factor_.solve(x);
  x.array() *= factor_.scale.array();
}

void DistributedGram::need_inverse() {
  if (std::exchange(has_inverse_, true)) return;
  inverse_ = factor_.L.part;
  if (grid().invert(size_of(size()), inverse_.data(), factor_.L.stride()) != 0)
    throw NumericalError("the factor of the kernel matrix has no inverse");
}

// b_i = [M^-1]_ii,   V_ii = (1 - b_i) / P_ii, or where that cancels
//   V_ii = 1 / S_i sum_j [M^-1]_ij S_j K_ij
void DistributedGram::add_marginals(const Sites& sites, Conditioned& out) {
  need_inverse();
  const Vector& S = factor_.scale;
  const Index n = size();
  Matrix found = Matrix::Zero(n, 2);  // b; the sum
  for (std::size_t j = 0; j < K_.columns.size(); ++j) {
    const Index column = K_.columns[j];
    for (std::size_t i = 0; i < K_.rows.size(); ++i) {
      const Index row = K_.rows[i];
      if (row < column) continue;
      const double m = inverse_(static_cast<Index>(i), static_cast<Index>(j));
      const double term = m * K_.part(static_cast<Index>(i), static_cast<Index>(j));
      found(row, 1) += term * S[column];
      if (row == column)
        found(row, 0) = m;
      else
        found(column, 1) += term * S[row];
    }
  }
  sum(found);
  out.b = found.col(0);
  out.variance.resize(n);
  for (Index i = 0; i < n; ++i) {
    const bool weak = std::abs(1 - out.b[i]) < kCancellation;
    out.variance[i] = weak ? found(i, 1) / S[i] : (1 - out.b[i]) / sites.precision[i];
    if (weak) out.b[i] = 1 - sites.precision[i] * out.variance[i];
  }
  keep_positive(diagonal_, out.variance);
}

// Where the block lives: the lower half twice, the diagonal once and by itself, for white noise.
Vector DistributedGram::pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) {
  need_inverse();
  const Vector& S = factor_.scale;
  const auto adjoint = [&](Index row, Index column, double m) {
    return 0.5 * (alpha[row] * alpha[column] - S[row] * m * S[column] + v[row] * alpha[column] +
                  alpha[row] * v[column]);
  };
  Vector on_diagonal = Vector::Zero(size());
  Matrix& Kbar = K_.part;  // which has done its work
  for (std::size_t j = 0; j < K_.columns.size(); ++j)
    for (std::size_t i = 0; i < K_.rows.size(); ++i) {
      const Index row = K_.rows[i], column = K_.columns[j];
      const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
      Kbar(a, b) = row > column ? 2 * adjoint(row, column, inverse_(a, b)) : 0;
      if (row == column) on_diagonal[row] = adjoint(row, row, inverse_(a, b));
    }
  Vector out = kernel.pull_back_cross(X_rows_, X_columns_, Kbar);
  out += kernel.pull_back_diagonal(X_, on_diagonal);
  sum(out);
  return out;
}

// ---- Prediction

namespace {

class DistributedConditional final : public Conditional {
 public:
  DistributedConditional(const Kernel& kernel, const Matrix& X, Vector alpha, DealtFactor factor)
      : kernel_(kernel), X_(X), alpha_(std::move(alpha)), factor_(std::move(factor)) {}

  void predict(const Matrix& Z, Vector& shift, Vector& variance) const override {
    predict_term(kernel_, Z, shift, variance);
  }
  void predict_term(const Kernel& term,
                    const Matrix& Z,
                    Vector& shift,
                    Vector& variance) const override {
    shift.resize(Z.rows());
    variance.resize(Z.rows());
    for (Index begin = 0; begin < Z.rows(); begin += kPredictedAtOnce) {
      const Index count = std::min(kPredictedAtOnce, Z.rows() - begin);
      const Matrix block = Z.middleRows(begin, count);
      DealtMatrix A = cross(term, block);
      Matrix found = Matrix::Zero(count, 2);  // shift; what the rows explain
      found(A.columns, 0) = A.part.transpose() * alpha_(A.rows);
      factor_.half_solve(A);
      found(A.columns, 1) = A.part.colwise().squaredNorm().transpose();
      sum(found);
      shift.segment(begin, count) = found.col(0);
      variance.segment(begin, count) = (term.diagonal(block) - found.col(1)).cwiseMax(0.0);
    }
  }

  Matrix covariance(const Matrix& Z) const override {
    const Index m = Z.rows();
    DealtMatrix A = cross(kernel_, Z), C(m, m);
    factor_.half_solve(A);
    grid().inner(
        size_of(X_.rows()), size_of(m), A.part.data(), A.stride(), C.part.data(), C.stride());
    Matrix explained = Matrix::Zero(m, m), out;
    explained(C.rows, C.columns) = C.part;
    explained.triangularView<Eigen::StrictlyUpper>().setZero();
    sum(explained);
    kernel_.gram(Z, out);
    out -= Matrix(explained.selfadjointView<Eigen::Lower>());
    return out;
  }

 private:
  DealtMatrix cross(const Kernel& kernel, const Matrix& Z) const {
    DealtMatrix A(X_.rows(), Z.rows());
    kernel.cross(X_(A.rows, Eigen::all), Z(A.columns, Eigen::all), A.part);
    return A;
  }

  Kernel kernel_;
  const Matrix& X_;  // of the engine
  Vector alpha_;
  DealtFactor factor_;
};

class DistributedEngine final : public Engine {
 public:
  DistributedEngine(EngineOptions options, std::shared_ptr<const Matrix> X)
      : Engine(std::move(options), std::move(X)) {}

  EngineCost cost() const override { return engine_cost(options(), size(), inputs().cols()); }
  std::unique_ptr<Gram> make_gram() const override {
    return std::make_unique<DistributedGram>(inputs());
  }
  std::unique_ptr<const Conditional> condition(const Kernel& kernel,
                                               const Posterior& posterior) const override {
    DistributedGram gram(inputs());
    gram.build(kernel);
    gram.add_jitter(posterior.jitter);
    if (!gram.factor(posterior.sites.precision))
      throw NumericalError("the posterior does not belong to this kernel and these inputs");
    return std::make_unique<DistributedConditional>(
        kernel, inputs(), posterior.alpha, gram.take_factor());
  }
  std::shared_ptr<const Engine> subset(const std::vector<Index>& rows) const override {
    return make_dense_engine(std::make_shared<const Matrix>(inputs()(rows, Eigen::all)));
  }
};

}  // namespace

// As dense.cpp: a jitter that came in steps has other bits.
std::unique_ptr<const Conditional> DistributedGram::take_conditional(const Kernel& kernel,
                                                                     const Vector& alpha) {
  if (jitter_ != 0) return nullptr;
  return std::make_unique<DistributedConditional>(kernel, X_, alpha, std::exchange(factor_, {}));
}

std::shared_ptr<const Engine> make_distributed_engine(EngineOptions options,
                                                      std::shared_ptr<const Matrix> X) {
  return std::make_shared<const DistributedEngine>(std::move(options), std::move(X));
}

EngineCost distributed_cost(EngineCost dense) {
  const auto ranks = static_cast<std::uint64_t>(rank_count());
  dense.run_bytes /= ranks;
  dense.predict_bytes /= ranks;
  dense.seconds /= static_cast<double>(ranks);
  dense.threads_inside = true;  // runs keep step: one after another
  return dense;
}

}  // namespace ggpm::internal
