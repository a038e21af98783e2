#include "gram/variational.hpp"

#include <algorithm>
#include <cmath>

#include "gram/conditioning.hpp"
#include "gram/dense.hpp"
#include "gram/lapack.hpp"
#include "gram/tree_engine.hpp"
#include "gram/tree_points.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
namespace {

using lapack::Op;

constexpr Index kRowsForPoints = 20000;  // that k-means looks at
constexpr Index kMostParts = 32;         // of a sum over rows, which does not depend on threads

// Rows begin, ..., end of part k.
struct Parts {
  explicit Parts(Index n) : rows(n), count(std::clamp<Index>(n / 256, 1, kMostParts)) {}
  Index begin(Index k) const { return rows * k / count; }
  Index size(Index k) const { return begin(k + 1) - begin(k); }
  template <class M>
  auto of(M& A, Index k) const {  // rows of a matrix or a vector
    return A.middleRows(begin(k), size(k));
  }
  template <class Body>
  void run(const Body& body) const {
    for_blocks(count, 1, 0, [&](Index first, Index last) {
      for (Index k = first; k < last; ++k) body(k);
    });
  }
  Index rows, count;
};

// L L^T = K of the points + jitter.
struct PointFactor {
  void build(const Matrix& Z, const Kernel& kernel) {
    Matrix K;
    kernel.cross(Z, Z, K);
    if (!K.allFinite())
      throw NumericalError(
          "the kernel matrix has an entry that is not finite; look for extreme hyperparameters or "
          "inputs");
    const double scale = std::max(K.diagonal().mean(), 1e-200);
    for (relative_jitter = kFirstPointJitter; relative_jitter <= kLastPointJitter;
         relative_jitter *= 10) {
      L = K;
      L.diagonal().array() += relative_jitter * scale;
      if (lapack::cholesky(L) && L.diagonal().allFinite()) return;
    }
    throw NumericalError(
        "the kernel matrix of the inducing points is not positive definite; look for extreme "
        "hyperparameters or inputs");
  }
  // K(X, Z) L^-T
  Matrix rows(const Matrix& X, const Matrix& Z, const Kernel& kernel) const {
    Matrix B;
    kernel.cross(X, Z, B);
    lapack::solve_right_transposed(L, B);
    return B;
  }
  Matrix L;
  double relative_jitter = 0;
};

class VariationalGram final : public Gram {
 public:
  VariationalGram(const Matrix& X, const Matrix& Z)
      : rows_(X.rows()), X_(X), Z_(Z), parts_(X.rows()) {}

  void build(const Kernel& kernel) override {
    factorizations_ = 0;
    points_.build(Z_, kernel);
    diagonal_ = kernel.diagonal(X_);
    B_.resize(X_.rows(), Z_.rows());
    parts_.run([&](Index k) { parts_.of(B_, k) = points_.rows(parts_.of(X_, k), Z_, kernel); });
    residual_ = (diagonal_ - B_.rowwise().squaredNorm()).cwiseMax(0.0);
  }

  const RowsHere& rows() const override { return rows_; }
  double jitter() const override { return 0; }
  int factorizations() const override { return factorizations_; }
  const Vector& diagonal() const override { return diagonal_; }
  const PointFactor& points() const { return points_; }
  const Matrix& C() const { return C_; }
  Vector coordinates(const Vector& x) const {  // B^T x
    Matrix each(Z_.rows(), parts_.count);
    parts_.run([&](Index k) { each.col(k) = parts_.of(B_, k).transpose() * parts_.of(x, k); });
    return each.rowwise().sum();
  }

  void multiply(const Vector& x, Vector& Kx) const override { Kx = back(coordinates(x)); }

  bool condition(const Sites& sites,
                 const Vector& prior_mean,
                 Compute compute,
                 Conditioned& out) override {
    if (!sites.shift.allFinite() || !sites.precision.allFinite()) return false;
    precision_ = sites.precision;
    ++factorizations_;
    std::vector<Matrix> each(static_cast<std::size_t>(parts_.count));
    parts_.run([&](Index k) {
      const Matrix B = parts_.of(B_, k);
      const Matrix PB = parts_.of(precision_, k).asDiagonal() * B;
      Matrix& sum = each[static_cast<std::size_t>(k)];
      sum.resize(Z_.rows(), Z_.rows());
      lapack::set_product(1, B, Op::transposed, PB, Op::plain, sum);
    });
    C_ = Matrix::Identity(Z_.rows(), Z_.rows());
    for (const Matrix& sum : each) C_ += sum;
    if (!C_.allFinite() || !lapack::cholesky(C_) || !C_.diagonal().allFinite()) return false;
    out.log_det = 2 * C_.diagonal().array().log().sum();
    if (compute == Compute::factor) return true;
    out.alpha = sites.shift - sites.precision.cwiseProduct(prior_mean);
    shrink(out.alpha);
    multiply(out.alpha, out.mean);
    out.mean += prior_mean;
    if (!out.mean.allFinite()) return false;
    if (compute == Compute::marginals) add_marginals(sites, out);
    return true;
  }

  void add_marginals(const Sites& sites, Conditioned& out) override {
    out.variance.resize(size());
    parts_.run([&](Index k) {
      Matrix A = parts_.of(B_, k);
      lapack::solve_right_transposed(C_, A);
      parts_.of(out.variance, k) = A.rowwise().squaredNorm();
    });
    out.b = (1 - sites.precision.array() * out.variance.array()).matrix();
    if ((sites.precision.array() >= 0).all())
      out.b = out.b.cwiseMax((1 + sites.precision.array() * diagonal_.array()).inverse().matrix());
    out.variance = (out.variance + residual_).cwiseMax(1e-30);
  }

  void shrink(Vector& x) const override {
    Vector e = coordinates(x);
    lapack::solve(C_, e);
    lapack::solve_transposed(C_, e);
    x -= precision_.cwiseProduct(back(e));
  }

  std::unique_ptr<SiteUpdates> one_by_one(const Sites&, const Conditioned&) override {
    return nullptr;
  }
  std::unique_ptr<const Conditional> take_conditional(const Kernel&, const Vector&) override {
    return nullptr;
  }

  // As in tree_gradient.cpp, with D = r and its adjoint -P/2.
  Vector pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) override {
    const Index M = Z_.rows();
    const Vector e = coordinates(alpha), ev = coordinates(v);
    Matrix Sigma = C_;
    lapack::invert_triangle(Sigma);
    lapack::multiply_transpose(Sigma);
    lapack::mirror(Sigma);
    struct Sum {
      Matrix bracket;
      Vector gradient;
    };
    std::vector<Sum> each(static_cast<std::size_t>(parts_.count));
    parts_.run([&](Index k) {
      const Matrix X = parts_.of(X_, k), B = parts_.of(B_, k);
      const Vector a = parts_.of(alpha, k), w = parts_.of(v, k),
                   half = -0.5 * parts_.of(precision_, k);
      const Matrix SB = half.asDiagonal() * B;
      Matrix H(B.rows(), M);
      lapack::set_product(2, SB, Op::plain, Sigma, Op::plain, H);  // -P B Sigma
      H.noalias() += (a + w) * e.transpose();
      H.noalias() += a * ev.transpose();
      Sum& sum = each[static_cast<std::size_t>(k)];
      sum.bracket.resize(M, M);
      const Matrix difference = SB - H;
      lapack::set_product(1, B, Op::transposed, difference, Op::plain, sum.bracket);
      Matrix K = H - 2 * SB;
      lapack::solve_right(points_.L, K);
      sum.gradient = kernel.pull_back_diagonal(X, half) + kernel.pull_back_cross(X, Z_, K);
    });
    Matrix bracket = 0.5 * (Sigma - Matrix::Identity(M, M));
    bracket.noalias() += 0.5 * e * (e + ev).transpose();
    bracket.noalias() += 0.5 * ev * e.transpose();
    Vector gradient = Vector::Zero(std::ssize(kernel.parameters()));
    for (const Sum& sum : each) {
      bracket += sum.bracket;
      gradient += sum.gradient;
    }
    Matrix K = 0.5 * (bracket + bracket.transpose());
    lapack::solve_left_transposed(points_.L, K);
    lapack::solve_right(points_.L, K);
    // The jitter is a multiple of the mean K_ii.
    K.diagonal().array() += points_.relative_jitter * K.trace() / double(M);
    return gradient + kernel.pull_back_cross(Z_, Z_, K);
  }

 private:
  Vector back(const Vector& e) const {  // B e
    Vector out(size());
    parts_.run([&](Index k) { parts_.of(out, k) = parts_.of(B_, k) * e; });
    return out;
  }

  const RowsHere rows_;
  const Matrix &X_, &Z_;
  const Parts parts_;
  PointFactor points_;
  Matrix B_;                    // (n, M)
  Matrix C_;                    // S = C C^T
  Vector diagonal_, residual_;  // (n) K_ii, r
  Vector precision_;
  int factorizations_ = 0;
};

class VariationalConditional final : public Conditional {
 public:
  VariationalConditional(Kernel kernel,
                         std::shared_ptr<const Matrix> Z,
                         const VariationalGram& gram,
                         const Vector& alpha)
      : kernel_(std::move(kernel)),
        Z_(std::move(Z)),
        points_(gram.points()),
        C_(gram.C()),
        e_(gram.coordinates(alpha)) {}

  void predict(const Matrix& X, Vector& shift, Vector& variance) const override {
    const Matrix B = points_.rows(X, *Z_, kernel_);
    Matrix A = B;
    lapack::solve_right_transposed(C_, A);
    shift = B * e_;
    variance =
        (kernel_.diagonal(X) - B.rowwise().squaredNorm()).cwiseMax(0.0) + A.rowwise().squaredNorm();
  }
  Matrix covariance(const Matrix& X) const override {
    const Matrix B = points_.rows(X, *Z_, kernel_);
    Matrix A = B, K;
    lapack::solve_right_transposed(C_, A);
    kernel_.gram(X, K);
    return K - B * B.transpose() + A * A.transpose();
  }

 private:
  const Kernel kernel_;
  const std::shared_ptr<const Matrix> Z_;
  const PointFactor points_;
  const Matrix C_;
  const Vector e_;
};

Index points_of(const EngineOptions& options) {
  if (options.inducing > 0) return options.inducing;
  const bool fast = options.accuracy == EngineAccuracy::fast;
  return fast ? 200 : options.accuracy == EngineAccuracy::high ? 800 : 400;
}

EngineCost variational_cost(const EngineOptions& options, Index rows, Index inputs) {
  const double n = double(rows), M = double(std::min(points_of(options), rows));
  EngineCost cost;
  cost.shared_bytes = static_cast<std::uint64_t>(8 * n * double(inputs));
  cost.run_bytes =
      static_cast<std::uint64_t>(8 * (2.5 * n * M + (kMostParts + 4) * M * M + 20 * n));
  cost.predict_bytes = cost.run_bytes;
  cost.dense_rows = std::clamp<Index>(static_cast<Index>(std::cbrt(6 * n * M * M)), 1, rows);
  cost.seconds = 6 * n * M * M / 1e10;
  cost.largest_matrix = static_cast<Index>(M);
  cost.threads_inside = true;
  return cost;
}

std::shared_ptr<const Engine> make_engine_of(EngineOptions options,
                                             std::shared_ptr<const Matrix> X,
                                             const Vector& scale,
                                             std::uint64_t seed) {
  const Index n = X->rows(), count = std::min(points_of(options), n);
  options.name = "variational";
  Matrix some = *X;
  if (n > kRowsForPoints)
    some = Matrix::NullaryExpr(kRowsForPoints, X->cols(), [&](Index i, Index j) {
      return (*X)(i * n / kRowsForPoints, j);
    });
  Matrix Z = some;
  if (count < some.rows()) {
    for (Index j = 0; j < Z.cols(); ++j) some.col(j) /= scale[j];
    Z = kmeans_centers(some, count, seed);
    for (Index j = 0; j < Z.cols(); ++j) Z.col(j) *= scale[j];
  }
  options.inducing = count;
  return std::make_shared<const VariationalEngine>(std::move(options), std::move(X), std::move(Z));
}

std::shared_ptr<const Engine> make_variational(const EngineOptions& options,
                                               std::shared_ptr<const Matrix> X,
                                               const Kernel& start,
                                               std::uint64_t seed) {
  const Vector scale = input_scales(start, *X);
  return make_engine_of(options, std::move(X), scale, seed);
}

std::shared_ptr<const Engine> restore_variational(const EngineOptions& options,
                                                  std::shared_ptr<const Matrix> X,
                                                  const NamedArrays& arrays) {
  if (arrays.size() != 1 || arrays[0].name != "points" || arrays[0].values.cols() != X->cols() ||
      arrays[0].values.rows() < 1 || arrays[0].values.rows() > X->rows() ||
      !arrays[0].values.allFinite())
    throw DataError(
        "array 'engine.points' of the variational engine does not have finite numbers for each "
        "input; the file is damaged");
  return std::make_shared<const VariationalEngine>(options, std::move(X), arrays[0].values);
}

}  // namespace

EngineCost VariationalEngine::cost() const {
  return variational_cost(options(), size(), inputs().cols());
}

std::unique_ptr<Gram> VariationalEngine::make_gram() const {
  return std::make_unique<VariationalGram>(inputs(), points());
}

std::unique_ptr<const Conditional> VariationalEngine::condition(const Kernel& kernel,
                                                                const Posterior& posterior) const {
  VariationalGram gram(inputs(), points());
  gram.build(kernel);
  Conditioned ignored;
  if (!gram.condition(posterior.sites, Vector::Zero(size()), Compute::factor, ignored))
    throw NumericalError("the sites leave an improper Gaussian under this kernel");
  return std::make_unique<VariationalConditional>(kernel, points_, gram, posterior.alpha);
}

std::shared_ptr<const Engine> VariationalEngine::subset(const std::vector<Index>& rows) const {
  auto X = std::make_shared<const Matrix>(inputs()(rows, Eigen::all));
  if (X->rows() <= kFewRows) return make_dense_engine(std::move(X), options().accuracy);
  return std::make_shared<const VariationalEngine>(options(), std::move(X), points());
}

extern const EngineType kVariationalEngine{
    .name = "variational",
    .summary = "inducing points for kld: its log marginal is a lower bound of the kernel's own",
    .caution = "",
    .suits = [](const EngineOptions&, Index, Index) { return false; },
    .cost = variational_cost,
    .make = make_variational,
    .restore = restore_variational};

}  // namespace ggpm::internal
