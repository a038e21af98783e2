#include <algorithm>
#include <vector>

#include "gram/dense.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
namespace {

// Large enough for matrix products (256 are 4 % faster at n = 3000), small enough for a few hundred
// rows to be shared by threads.
constexpr Index kRowsPerBlock = 128;

class DenseConditional final : public Conditional {
 public:
  DenseConditional(const Kernel& kernel, const Matrix& X, Vector alpha, SignedCholesky factor)
      : kernel_(kernel), X_(X), alpha_(std::move(alpha)), factor_(std::move(factor)) {}

  void predict(const Matrix& Z, Vector& shift, Vector& variance) const override {
    predict_term(kernel_, Z, shift, variance);
  }

  //   shift = k*^T alpha,   variance = k** - k*^T (K + W)^-1 k*       (eqn:approxpost:common)
  // with k* of the summand alone: its covariance with the whole function is its own with itself.
  void predict_term(const Kernel& term,
                    const Matrix& Z,
                    Vector& shift,
                    Vector& variance) const override {
    const Index m = Z.rows();
    shift.resize(m);
    variance.resize(m);
    // Threads take blocks of rows, not parts of a matrix product: nothing waits, and the bits are
    // those of one thread.
    const int threads = default_threads();
    const BlasThreads blas(1);
    for_blocks(m, kRowsPerBlock, threads, [&](Index begin, Index end) {
      Matrix A;
      for (Index start = begin; start < end; start += kRowsPerBlock) {
        const Index count = std::min(kRowsPerBlock, end - start);
        const Matrix block = Z.middleRows(start, count);
        term.cross(X_, block, A);
        shift.segment(start, count).noalias() = A.transpose() * alpha_;
        factor_.half_solve(A);
        variance.segment(start, count) = term.diagonal(block) - explained(A);
      }
    });
    // Rounding can leave a variance of -1e-17 where the data pin the function down.
    variance = variance.cwiseMax(0.0);
  }

  Matrix covariance(const Matrix& Z) const override {
    Matrix A, C;
    kernel_.cross(X_, Z, A);
    kernel_.gram(Z, C);
    factor_.half_solve(A);
    const Index p = factor_.positive(), q = A.rows() - p;
    C.noalias() -= A.topRows(p).transpose() * A.topRows(p);
    C.noalias() += A.bottomRows(q).transpose() * A.bottomRows(q);
    return C;
  }

 private:
  Vector explained(const Matrix& A) const {
    const Index p = factor_.positive(), q = A.rows() - p;
    return (A.topRows(p).colwise().squaredNorm() - A.bottomRows(q).colwise().squaredNorm())
        .transpose();
  }

  Kernel kernel_;
  const Matrix& X_;  // of the engine
  Vector alpha_;
  SignedCholesky factor_;
};

}  // namespace

// As inference does it, with the number of threads that it uses: the same bits.
std::unique_ptr<const Conditional> make_dense_conditional(const Kernel& kernel,
                                                          const Matrix& X,
                                                          const Posterior& posterior) {
  const SmallMatrices blas(X.rows());
  Matrix K;
  kernel.gram(X, K);
  K.diagonal().array() += posterior.jitter;
  SignedCholesky factor;
  if (factor.factor(K, posterior.sites.precision) != SignedCholesky::Status::ok)
    throw NumericalError("the posterior does not belong to this kernel and these inputs");
  return make_dense_conditional(kernel, X, posterior.alpha, std::move(factor));
}

std::unique_ptr<const Conditional> make_dense_conditional(const Kernel& kernel,
                                                          const Matrix& X,
                                                          const Vector& alpha,
                                                          SignedCholesky factor) {
  return std::make_unique<DenseConditional>(kernel, X, alpha, std::move(factor));
}

}  // namespace ggpm::internal
