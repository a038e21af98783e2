#include "inference/classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inference/class_problem.hpp"
#include "kernel/expression/classes.hpp"
#include "likelihood/softmax.hpp"

namespace ggpm::internal {
namespace {

ClassMatrices grams(const std::vector<Kernel>& kernels, const Matrix& X) {
  std::vector<Matrix> out(kernels.size());
  for (std::size_t c = 0; c < kernels.size(); ++c) {
    kernels[c].gram(X, out[c]);
    if (!out[c].allFinite())
      throw NumericalError("the kernel is not finite; look for extreme hyperparameters or inputs");
  }
  return ClassMatrices(std::move(out));
}

Vector pull_back(const std::vector<Kernel>& kernels,
                 const Matrix& X,
                 const std::vector<Matrix>& adjoints) {
  std::vector<double> all;
  for (std::size_t c = 0; c < kernels.size(); ++c) {
    const Vector one = kernels[c].pull_back(X, adjoints[c]);
    all.insert(all.end(), one.begin(), one.end());
  }
  return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
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
  const std::vector<Kernel> kernels = kernels_of_classes(kernel, likelihood.levels());
  ClassProblem problem(grams(kernels, X), likelihood.levels(), rows, options);
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
    out.gradient.kernel = pull_back(kernels, X, problem.adjoints());
    out.gradient.mean = Vector(0);
    out.gradient.dispersion = Vector(0);
  }
  return out;
}

namespace {

ClassConditional conditional_of(const ClassMatrices& K,
                                const Vector& weight,
                                const Posterior& q,
                                InferenceMethod method) {
  const Index n = K.rows();
  if (method == InferenceMethod::kld)
    return ClassConditional::of_blocks(K, by_row(q.sites.precision, n));
  Matrix d = by_row(q.mean, n);
  for (Index i = 0; i < n; ++i)
    d.row(i) = (weight.size() == 0 ? 1 : weight[i]) * softmax_at(d.row(i)).p.transpose();
  return ClassConditional::of_probabilities(K, d);
}

constexpr Index kBlock = 256;  // new rows at a time

}  // namespace

ClassPredictor::ClassPredictor(const Kernel& kernel,
                               std::shared_ptr<const Matrix> X,
                               const Vector& weight,
                               const Posterior& posterior,
                               InferenceMethod method)
    : X_(std::move(X)),
      alpha_(by_row(posterior.alpha, X_->rows())),
      kernels_(kernels_of_classes(kernel, alpha_.cols())),
      conditional_(conditional_of(grams(kernels_, *X_), weight, posterior, method)) {
  conditional_.prepare();
}

void ClassPredictor::predict(const Matrix& Z, Matrix& mean, Matrix& covariance) const {
  const Index C = alpha_.cols();
  mean.resize(Z.rows(), C);
  covariance.resize(Z.rows(), C * C);
  for (Index first = 0; first < Z.rows(); first += kBlock) {
    const Index count = std::min(kBlock, Z.rows() - first);
    const Matrix part = Z.middleRows(first, count);
    std::vector<Matrix> cross(kernels_.size());
    Matrix prior(count, C);
    for (std::size_t c = 0; c < kernels_.size(); ++c) kernels_[c].cross(*X_, part, cross[c]);
    for (Index c = 0; c < C; ++c)
      prior.col(c) =
          kernels_[kernels_.size() == 1 ? 0 : static_cast<std::size_t>(c)].diagonal(part);
    const ClassMatrices k(std::move(cross));
    mean.middleRows(first, count) = k.times_transposed(alpha_);
    covariance.middleRows(first, count) = conditional_.covariances(k, prior);
  }
}

}  // namespace ggpm::internal
