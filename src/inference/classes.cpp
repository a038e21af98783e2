#include "inference/classes.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "gram/lapack.hpp"
#include "likelihood/softmax.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
namespace {

using Array = Eigen::Map<const Matrix>;

Array by_class(const Vector& stacked, Index n) { return {stacked.data(), n, stacked.size() / n}; }
Vector stacked(const Matrix& by_class) { return by_class.reshaped(); }

Index classes_of(const Vector& blocks, Index n) {
  return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(blocks.size() / n))));
}

// The block of row i, of blocks (n, C^2).
template <class Blocks>
Matrix block_of(const Blocks& blocks, Index i, Index C) {
  Matrix out(C, C);
  for (Index a = 0; a < C; ++a)
    for (Index b = 0; b < C; ++b) out(a, b) = blocks(i, a * C + b);
  return out;
}
template <class Blocks>
void set_block(Blocks& blocks, Index i, const Matrix& block) {
  const Index C = block.rows();
  for (Index a = 0; a < C; ++a)
    for (Index b = 0; b < C; ++b) blocks(i, a * C + b) = block(a, b);
}

void factor(Matrix& A) {
  if (!lapack::cholesky(A) || !A.diagonal().allFinite())
    throw NumericalError(
        "the matrix of several classes cannot be factored; look for extreme hyperparameters");
}

double log_det_of_factor(const Matrix& L) { return 2 * L.diagonal().array().log().sum(); }

}  // namespace

ClassConditional ClassConditional::of_probabilities(const Matrix& K, const Matrix& d) {
  const Index n = K.rows(), C = d.cols();
  ClassConditional out;
  out.L_ = Matrix::Zero(n, n);
  for (Index c = 0; c < C; ++c) {
    const Vector root = d.col(c).cwiseSqrt();
    Matrix& E = out.E_.emplace_back(root.asDiagonal() * K * root.asDiagonal());
    E.diagonal().array() += 1;
    factor(E);
    out.log_det_ += log_det_of_factor(E);
    lapack::invert_triangle(E);
    lapack::multiply_transpose(E);
    lapack::mirror(E);
    E = root.asDiagonal() * E * root.asDiagonal();
    out.L_ += E;
  }
  factor(out.L_);
  out.log_det_ += log_det_of_factor(out.L_) - d.rowwise().sum().array().log().sum();
  return out;
}

// P_i = l_i l_i^T with l_i (C, C-1), so that with B = I + l^T K l = L L^T:  E = l B^-1 l^T.
ClassConditional ClassConditional::of_blocks(const Matrix& K, const Vector& blocks) {
  const Index n = K.rows(), C = classes_of(blocks, n), D = C - 1;
  const Matrix P = by_class(blocks, n);  // (n, C^2)
  std::vector<Matrix> l;
  // The last row and column follow from the others, since rows sum to 0.
  Matrix rest(C, D);
  rest.topRows(D).setIdentity();
  rest.bottomRows(1).setConstant(-1);
  for (Index i = 0; i < n; ++i) {
    const Matrix head = block_of(P, i, C).topLeftCorner(D, D);
    // P = S head S^T with S = (I; -1^T), and head = R R^T.
    const Eigen::LDLT<Matrix> ldlt(head);
    const Matrix R =
        ldlt.transpositionsP().transpose() *
        Matrix(Matrix(ldlt.matrixL()) * ldlt.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal());
    l.push_back(rest * R);
  }
  Matrix B(n * D, n * D);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i)
      B.block(i * D, j * D, D, D) =
          K(i, j) * (l[static_cast<std::size_t>(i)].transpose() * l[static_cast<std::size_t>(j)]);
  B.diagonal().array() += 1;
  factor(B);
  ClassConditional out;
  out.log_det_ = log_det_of_factor(B);
  for (Index c = 0; c < C; ++c) {
    Matrix& F = out.F_.emplace_back(Matrix::Zero(n * D, n));
    for (Index i = 0; i < n; ++i)
      F.block(i * D, i, D, 1) = l[static_cast<std::size_t>(i)].row(c).transpose();
    lapack::solve_left(B, F);
  }
  return out;
}

const std::vector<Matrix>& ClassConditional::factors() const {
  if (F_.empty())
    for (const Matrix& E : E_) lapack::solve_left(L_, F_.emplace_back(E));
  return F_;
}

Matrix ClassConditional::apply(const Matrix& x) const {
  Matrix out(x.rows(), x.cols());
  if (E_.empty()) {
    Vector sum = Vector::Zero(F_.front().rows());
    for (Index c = 0; c < x.cols(); ++c) sum += F_[static_cast<std::size_t>(c)] * x.col(c);
    for (Index c = 0; c < x.cols(); ++c)
      out.col(c) = F_[static_cast<std::size_t>(c)].transpose() * sum;
    return out;
  }
  Vector sum = Vector::Zero(x.rows());
  for (Index c = 0; c < x.cols(); ++c) {
    out.col(c) = E_[static_cast<std::size_t>(c)] * x.col(c);
    sum += out.col(c);
  }
  lapack::solve(L_, sum);
  lapack::solve_transposed(L_, sum);
  for (Index c = 0; c < x.cols(); ++c) out.col(c) -= E_[static_cast<std::size_t>(c)] * sum;
  return out;
}

Matrix ClassConditional::summed() const {
  const Index n = factors().front().cols();
  Matrix out = Matrix::Zero(n, n);
  for (const Matrix& E : E_) out += E;
  for (const Matrix& F : F_) lapack::add_inner(E_.empty() ? 1 : -1, F, out);
  lapack::mirror(out);
  return out;
}

Matrix ClassConditional::covariances(const Matrix& k, const Vector& prior) const {
  const auto C = static_cast<Index>(factors().size());
  Matrix out(k.cols(), C * C);
  std::vector<Matrix> G;
  for (const Matrix& F : F_) G.push_back(F * k);
  for (Index a = 0; a < C; ++a)
    for (Index b = a; b < C; ++b) {
      const Matrix &Ga = G[static_cast<std::size_t>(a)], &Gb = G[static_cast<std::size_t>(b)];
      Vector entry = Ga.cwiseProduct(Gb).colwise().sum().transpose();
      if (E_.empty()) entry = -entry;
      if (a == b) entry += prior;
      if (a == b && !E_.empty())
        entry -= k.cwiseProduct(E_[static_cast<std::size_t>(a)] * k).colwise().sum().transpose();
      if (a == b) entry = entry.cwiseMax(0);
      out.col(a * C + b) = entry;
      out.col(b * C + a) = entry;
    }
  return out;
}

namespace {

constexpr int kMostHalvings = 40;

class ClassProblem {
 public:
  ClassProblem(Matrix K, Index classes, std::span<const Row> rows, const InferenceOptions& options)
      : K_(std::move(K)), C_(classes), rows_(rows), options_(options) {}

  void laplace(const Posterior* warm);
  void kld(const Posterior* warm);

  Posterior posterior() const;
  double log_marginal() const { return log_marginal_; }
  // d log_marginal / dK, (n, n)
  Matrix adjoint() const;
  Report& report() { return report_; }

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
  static Matrix times_blocks(const Matrix& d, const Matrix& eta);
  void condition(ClassConditional conditional, const Matrix& shift);
  void finish(Vector blocks);
  void note(int iteration, double value, double residual) {
    report_.iterations = iteration;
    report_.residual = residual;
    if (options_.on_iteration) options_.on_iteration({iteration, value, residual});
  }
  void expect(Vector& blocks, Matrix& slope, double& value) const;

  Matrix K_;
  Index C_;
  std::span<const Row> rows_;
  const InferenceOptions& options_;
  std::optional<ClassConditional> conditional_;
  Matrix alpha_, mean_;  // (n, C)
  Matrix covariance_;    // (n, C^2)
  Vector blocks_;        // P
  Matrix v_;             // (n, C): empty but for Laplace
  double log_marginal_ = 0;
  Report report_;
};

ClassProblem::Local ClassProblem::local(const Matrix& eta) const {
  Local out{0, Matrix(n(), C_), Matrix(n(), C_)};
  for (Index i = 0; i < n(); ++i) {
    const SoftmaxAt at = softmax_at(eta.row(i));
    out.value += weight(i) * (eta(i, level(i)) - at.log_sum);
    out.d.row(i) = weight(i) * at.p.transpose();
    out.slope.row(i) = -out.d.row(i);
    out.slope(i, level(i)) += weight(i);
  }
  return out;
}

// P eta for P_i = diag(d) - d d^T / sum d.
Matrix ClassProblem::times_blocks(const Matrix& d, const Matrix& eta) {
  const Vector average = d.cwiseProduct(eta).rowwise().sum().cwiseQuotient(d.rowwise().sum());
  return d.cwiseProduct(eta.colwise() - average);
}

void ClassProblem::condition(ClassConditional conditional, const Matrix& shift) {
  conditional_ = std::move(conditional);
  alpha_ = shift - conditional_->apply(K_ * shift);
  mean_ = K_ * alpha_;
}

// Newton steps in alpha, searched along on log p(y | eta) - alpha' K alpha / 2, which is concave.
void ClassProblem::laplace(const Posterior* warm) {
  alpha_ = warm != nullptr && warm->alpha.size() == n() * C_ ? Matrix(by_class(warm->alpha, n()))
                                                             : Matrix(Matrix::Zero(n(), C_));
  mean_ = K_ * alpha_;
  Local at = local(mean_);
  double height = at.value - alpha_.cwiseProduct(mean_).sum() / 2;
  if (!std::isfinite(height)) throw NumericalError("laplace: the start has no density");
  const Vector prior_sd = K_.diagonal().cwiseMax(1e-300).cwiseSqrt();
  report_.outcome = Outcome::iteration_limit;
  bool again = true;
  for (int k = 1; again && k <= options_.max_iterations; ++k) {
    const Matrix before = alpha_, mean_before = mean_;
    condition(ClassConditional::of_probabilities(K_, at.d), times_blocks(at.d, mean_) + at.slope);
    report_.factorizations += static_cast<int>(C_) + 1;
    const Matrix step = alpha_ - before, move = mean_ - mean_before;
    double size = 1;
    Local next = local(mean_);
    double reached = next.value - alpha_.cwiseProduct(mean_).sum() / 2;
    const double slack = 1e-12 * (1 + std::abs(height));
    for (int h = 0; !(reached >= height - slack) && h < kMostHalvings; ++h) {
      size /= 2;
      alpha_ = before + size * step;
      mean_ = mean_before + size * move;
      next = local(mean_);
      reached = next.value - alpha_.cwiseProduct(mean_).sum() / 2;
    }
    if (!std::isfinite(reached))
      throw NumericalError("laplace: no step leads to a finite density; look for extreme data");
    height = reached;
    at = std::move(next);
    // The error that is left after a Newton step is some square of it.
    const double residual = (move.array().abs().colwise() / prior_sd.array()).maxCoeff() * size;
    note(k, height, residual);
    if (residual <= options_.tolerance || residual * residual <= 1e-4 * options_.tolerance) {
      report_.outcome = Outcome::converged;
      again = residual * residual > 1e-14 * options_.tolerance && residual > 1e-13;
      if (k == options_.max_iterations) again = false;
    }
  }
  // At the mode alpha is the slope.
  conditional_ = ClassConditional::of_probabilities(K_, at.d);
  report_.factorizations += static_cast<int>(C_) + 1;
  log_marginal_ = height - conditional_->log_det() / 2;
  Vector blocks(n() * C_ * C_);
  Eigen::Map<Matrix> P(blocks.data(), n(), C_ * C_);
  for (Index i = 0; i < n(); ++i) {
    const Vector d = at.d.row(i);
    set_block(P, i, Matrix(d.asDiagonal()) - d * d.transpose() / d.sum());
  }
  finish(std::move(blocks));
  // s_ic = -1/2 sum_ab V_ab dP_ab/d eta_c, and v = (I + P K)^-1 s.        (docs/several-classes.md)
  Matrix s(n(), C_);
  for (Index i = 0; i < n(); ++i) {
    const Matrix V = block_of(covariance_, i, C_);
    const Vector p = at.d.row(i).transpose() / weight(i);
    const Vector Vp = V * p;
    const double spread = p.dot(V.diagonal()), twice = p.dot(Vp);
    s.row(i) = -0.5 * weight(i) *
               (p.array() * (V.diagonal().array() - spread - 2 * (Vp.array() - twice))).matrix();
  }
  v_ = s - conditional_->apply(K_ * s);
}

// Expected slopes and blocks of all rows under their marginals, and the expected log density.
void ClassProblem::expect(Vector& blocks, Matrix& slope, double& value) const {
  blocks.resize(n() * C_ * C_);
  slope.resize(n(), C_);
  Eigen::Map<Matrix> P(blocks.data(), n(), C_ * C_);
  Vector values(n());
  for_rows(n(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const SoftmaxExpected at = softmax_expected(mean_.row(i), block_of(covariance_, i, C_));
      values[i] = weight(i) * (mean_(i, level(i)) - at.log_sum);
      set_block(P, i, weight(i) * (Matrix(at.p.asDiagonal()) - at.pp));
      slope.row(i) = -weight(i) * at.p.transpose();
      slope(i, level(i)) += weight(i);
    }
  });
  value = values.sum();
}

// The fixed point P = E[-l''], shift = P mean + E[l'], from Laplace's, damped in these where the
// bound falls.
void ClassProblem::kld(const Posterior* warm) {
  const Index sites = n() * C_ * C_;
  Matrix shift;
  if (warm != nullptr && warm->sites.precision.size() == sites) {
    blocks_ = warm->sites.precision;
    shift = by_class(warm->sites.shift, n());
  } else {
    laplace(nullptr);
    shift = alpha_;
    for (Index i = 0; i < n(); ++i)
      shift.row(i) +=
          (block_of(by_class(blocks_, n()), i, C_) * mean_.row(i).transpose()).transpose();
    v_.resize(0, 0);
  }
  report_.outcome = Outcome::iteration_limit;
  double best = -std::numeric_limits<double>::infinity(), size = 1;
  Vector old_blocks = blocks_, aim_blocks;
  Matrix old_shift = shift, aim_shift;
  for (int k = 1; k <= options_.max_iterations; ++k) {
    condition(ClassConditional::of_blocks(K_, blocks_), shift);
    ++report_.factorizations;
    covariance_ = conditional_->covariances(K_, K_.diagonal());
    Vector next_blocks;
    Matrix slope;
    double value = 0;
    expect(next_blocks, slope, value);
    // KL(q || prior) = 1/2 (-tr P V + alpha' K alpha + log|I + K P|)
    const double trace = by_class(blocks_, n()).cwiseProduct(covariance_).sum();
    const double bound =
        value - (alpha_.cwiseProduct(mean_).sum() - trace + conditional_->log_det()) / 2;
    if (!(bound >= best - 1e-9 * (1 + std::abs(best))) && size > 1e-6) {
      size /= 2;
      blocks_ = old_blocks + size * (aim_blocks - old_blocks);
      shift = old_shift + size * (aim_shift - old_shift);
      continue;
    }
    if (!std::isfinite(bound)) throw NumericalError("kld: the bound is not finite");
    best = bound;
    log_marginal_ = bound;
    Matrix sd(n(), C_);
    for (Index c = 0; c < C_; ++c) sd.col(c) = covariance_.col(c * C_ + c).cwiseSqrt();
    const double residual = std::max((slope - alpha_).cwiseProduct(sd).cwiseAbs().maxCoeff(),
                                     (by_class(next_blocks, n()) - by_class(blocks_, n()))
                                         .cwiseProduct(covariance_)
                                         .cwiseAbs()
                                         .maxCoeff());
    note(k, bound, residual);
    if (residual <= options_.tolerance) {
      report_.outcome = Outcome::converged;
      break;
    }
    old_blocks = blocks_;
    old_shift = shift;
    aim_shift = slope;
    for (Index i = 0; i < n(); ++i)
      aim_shift.row(i) +=
          (block_of(by_class(next_blocks, n()), i, C_) * mean_.row(i).transpose()).transpose();
    aim_blocks = std::move(next_blocks);
    size = std::min(1.0, 2 * size);
    blocks_ = old_blocks + size * (aim_blocks - old_blocks);
    shift = old_shift + size * (aim_shift - old_shift);
  }
  finish(blocks_);
}

void ClassProblem::finish(Vector blocks) {
  blocks_ = std::move(blocks);
  covariance_ = conditional_->covariances(K_, K_.diagonal());
  if (report_.outcome != Outcome::converged)
    report_.detail = fmt::format(
        "{} did not converge in {} iterations", to_string(options_.method), report_.iterations);
}

Posterior ClassProblem::posterior() const {
  Posterior q;
  q.prior_mean = Vector::Zero(n() * C_);
  q.alpha = stacked(alpha_);
  q.mean = stacked(mean_);
  q.variance.resize(n() * C_);
  for (Index c = 0; c < C_; ++c) q.variance.segment(c * n(), n()) = covariance_.col(c * C_ + c);
  q.sites.precision = blocks_;
  Matrix shift = alpha_, cavity_mean(n(), C_), cavity(n(), C_ * C_);
  // Without its own block:  V-^-1 = V^-1 - P,  m- = m - V- alpha
  for (Index i = 0; i < n(); ++i) {
    const Matrix P = block_of(by_class(blocks_, n()), i, C_), V = block_of(covariance_, i, C_);
    shift.row(i) += (P * mean_.row(i).transpose()).transpose();
    const Matrix without = (Matrix::Identity(C_, C_) - V * P).partialPivLu().solve(V);
    set_block(cavity, i, (without + without.transpose()) / 2);
    cavity_mean.row(i) = mean_.row(i) - (without * alpha_.row(i).transpose()).transpose();
  }
  q.sites.shift = stacked(shift);
  q.cavity_mean = stacked(cavity_mean);
  q.cavity_variance = stacked(cavity);
  return q;
}

Matrix ClassProblem::adjoint() const {
  Matrix out = -conditional_->summed() / 2;
  out.noalias() += alpha_ * alpha_.transpose() / 2;
  if (v_.size() != 0) {
    const Matrix half = v_ * alpha_.transpose() / 2;
    out += half + half.transpose();
  }
  return out;
}

}  // namespace

Inferred infer_classes(const Kernel& kernel,
                       const Mean& mean,
                       const Likelihood& likelihood,
                       const Matrix& X,
                       std::span<const Row> rows,
                       const InferenceOptions& options,
                       const Posterior* warm) {
  if (!mean.parameters().empty())
    throw UsageError(
        "softmax: a mean that all classes share changes no probability; use the mean zero, and a "
        "constant or linear kernel, which gives each class its own");
  Matrix K;
  kernel.gram(X, K);
  if (!K.allFinite())
    throw NumericalError("the kernel is not finite; look for extreme hyperparameters or inputs");
  ClassProblem problem(std::move(K), likelihood.levels(), rows, options);
  if (options.method == InferenceMethod::laplace)
    problem.laplace(warm);
  else if (options.method == InferenceMethod::kld)
    problem.kld(warm);
  else
    throw UsageError(
        fmt::format("softmax has no {} inference; use laplace or kld", to_string(options.method)));
  Inferred out;
  out.log_marginal = problem.log_marginal();
  out.posterior = problem.posterior();
  out.report = problem.report();
  if (!std::isfinite(out.log_marginal))
    throw NumericalError(
        "softmax: the log marginal is not finite; look for extreme hyperparameters or data");
  if (options.gradient) {
    out.gradient.kernel = kernel.pull_back(X, problem.adjoint());
    out.gradient.mean = Vector(0);
    out.gradient.dispersion = Vector(0);
  }
  return out;
}

namespace {

ClassConditional conditional_of(const Matrix& K,
                                const Vector& weight,
                                const Posterior& q,
                                InferenceMethod method) {
  if (method == InferenceMethod::kld) return ClassConditional::of_blocks(K, q.sites.precision);
  Matrix d = by_class(q.mean, K.rows());
  for (Index i = 0; i < d.rows(); ++i)
    d.row(i) = (weight.size() == 0 ? 1 : weight[i]) * softmax_at(d.row(i)).p.transpose();
  return ClassConditional::of_probabilities(K, d);
}

Matrix gram_of(const Kernel& kernel, const Matrix& X) {
  Matrix K;
  kernel.gram(X, K);
  return K;
}

constexpr Index kBlock = 256;  // new rows at a time

}  // namespace

ClassPredictor::ClassPredictor(const Kernel& kernel,
                               std::shared_ptr<const Matrix> X,
                               const Vector& weight,
                               const Posterior& posterior,
                               InferenceMethod method)
    : kernel_(kernel),
      X_(std::move(X)),
      alpha_(by_class(posterior.alpha, X_->rows())),
      conditional_(conditional_of(gram_of(kernel, *X_), weight, posterior, method)) {
  conditional_.covariances(Matrix::Zero(X_->rows(), 1),
                           Vector::Zero(1));  // factors, before threads
}

void ClassPredictor::predict(const Matrix& Z, Matrix& mean, Matrix& covariance) const {
  const Index C = alpha_.cols();
  mean.resize(Z.rows(), C);
  covariance.resize(Z.rows(), C * C);
  for (Index first = 0; first < Z.rows(); first += kBlock) {
    const Index count = std::min(kBlock, Z.rows() - first);
    const Matrix part = Z.middleRows(first, count);
    Matrix k;
    kernel_.cross(*X_, part, k);
    mean.middleRows(first, count) = k.transpose() * alpha_;
    covariance.middleRows(first, count) = conditional_.covariances(k, kernel_.diagonal(part));
  }
}

}  // namespace ggpm::internal
