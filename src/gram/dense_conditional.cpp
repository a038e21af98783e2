#include <algorithm>
#include <vector>

#include "gram/dense.hpp"
#include "parallel/threads.hpp"

namespace ggpm {
namespace {

// Large enough for matrix products (256 are 4 % faster at n = 3000), small enough for a few hundred
// rows to be shared by threads.
constexpr Index kRowsPerBlock = 128;

class DenseConditional final : public Conditional {
 public:
  DenseConditional(const Kernel& kernel, Matrix X, const Posterior& posterior)
      : kernel_(kernel), X_(std::move(X)), alpha_(posterior.alpha) {
    Matrix K;
    kernel_.gram(X_, K);
    K.diagonal().array() += posterior.jitter;
    if (factor_.factor(K, posterior.sites.precision) != SignedCholesky::Status::ok)
      throw NumericalError("the posterior does not belong to this kernel and these inputs");
  }

  //   shift = k*^T alpha,   variance = k** - k*^T (K + W)^-1 k*       (eqn:approxpost:common)
  void predict(const Matrix& Z, Vector& shift, Vector& variance) const override {
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
        kernel_.cross(X_, block, A);
        shift.segment(start, count).noalias() = A.transpose() * alpha_;
        factor_.half_solve(A);
        variance.segment(start, count) = kernel_.diagonal(block) - explained(A);
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
  Matrix X_;
  Vector alpha_;
  SignedCholesky factor_;
};

}  // namespace

std::unique_ptr<const Conditional> make_dense_conditional(const Kernel& kernel,
                                                          Matrix X,
                                                          const Posterior& posterior) {
  return std::make_unique<DenseConditional>(kernel, std::move(X), posterior);
}

}  // namespace ggpm
