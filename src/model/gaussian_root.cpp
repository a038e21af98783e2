#include "model/gaussian_root.hpp"

#include <Eigen/Cholesky>
#include <string>

namespace ggpm::internal {

Matrix gaussian_root(Matrix K, double size, std::string_view what) {
  if (!K.allFinite())
    throw NumericalError(std::string(what) + ": the kernel of these inputs is not finite");
  for (double jitter = 1e-14; jitter < 1e-5; jitter *= 10) {
    K.diagonal().array() += jitter * size;
    const Eigen::LLT<Matrix> factor(K);
    if (factor.info() != Eigen::Success) continue;
    Matrix L = factor.matrixL();
    if (L.allFinite()) return L;
  }
  throw NumericalError(std::string(what) + ": the kernel of these inputs is not positive definite");
}

}  // namespace ggpm::internal
