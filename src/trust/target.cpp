#include "trust/target.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "gram/explicit_prior.hpp"
#include "gram/lapack.hpp"
#include "parallel/available_memory.hpp"

namespace ggpm::internal {
namespace {

constexpr double kFirstJitter = 1e-15, kLastJitter = 1e-6;  // of the largest K_ii

void check_memory(Index n) {
  const auto rows = static_cast<std::uint64_t>(n);
  const std::uint64_t need = 32 * rows * rows, limit = available_memory();
  if (need > limit)
    throw DataError(
        fmt::format("sampling: {} rows need about {} MB, the memory here is {} MB; use fewer rows",
                    n,
                    (need >> 20U) + 1,
                    limit >> 20U));
}

// K is singular where inputs coincide: the smallest jitter that has a factor.
Matrix lower_factor(const Matrix& K) {
  const double largest = K.diagonal().maxCoeff();
  for (double jitter = 0; jitter <= kLastJitter; jitter = jitter > 0 ? 10 * jitter : kFirstJitter) {
    Matrix L = K;
    L.diagonal().array() += jitter * largest;
    if (!lapack::cholesky(L)) continue;
    L.triangularView<Eigen::StrictlyUpper>().setZero();
    if (L.allFinite()) return L;
  }
  throw NumericalError("sampling: the kernel matrix is not positive definite");
}

Matrix prior_factor(const LearningTask& task, double jitter) {
  check_memory(task.engine->size());
  Matrix K = explicit_prior(*task.engine, task.parts.kernel);
  K.diagonal().array() += jitter;
  return lower_factor(K);
}

// q has the mean of the posterior whatever share of the precision is kept: alpha = shift - P mean.
Sites shared_sites(const Posterior& posterior, double share) {
  Sites sites;
  sites.precision = share * posterior.sites.precision;
  sites.shift = posterior.alpha + sites.precision.cwiseProduct(posterior.mean);
  return sites;
}

// log of the integral of N(m, K) exp(-1/2 P eta^2 + shift eta), by its exponent at the mean.
double log_normalizer_of(const Posterior& posterior, const Sites& sites, double log_det) {
  const Vector& mean = posterior.mean;
  return -(mean - posterior.prior_mean).dot(posterior.alpha) / 2 -
         sites.precision.cwiseProduct(mean).dot(mean) / 2 + sites.shift.dot(mean) - log_det / 2;
}

}  // namespace

Latents::Latents(const LearningTask& task, double jitter)
    : likelihood(*task.parts.likelihood),
      rows(task.data->observed.rows()),
      factor(prior_factor(task, jitter)) {}

// (K^-1 + P)^-1 = L A^-1 L^T with A = I + L^T P L = C C^T, so F = L C^-T: nothing cancels where the
// data say much more than the prior.
Target::Target(const Latents& latents, const Posterior& posterior, double share)
    : latents_(latents),
      share_(share),
      sites_(shared_sites(posterior, share)),
      mean_(posterior.mean),
      factor_(latents.factor) {
  Matrix A = sites_.precision.asDiagonal() * latents.factor;
  lapack::multiply_left_transposed(latents.factor, A);
  A.diagonal().array() += 1;
  if (!lapack::cholesky(A) || !A.diagonal().allFinite())
    throw NumericalError("sampling: the approximate posterior is not a proper distribution");
  lapack::solve_right_transposed(A, factor_);
  log_normalizer_ = log_normalizer_of(posterior, sites_, 2 * A.diagonal().array().log().sum());
}

double Target::log_ratio(const Vector& eta) const {
  thread_local std::vector<LogDensity> at;
  at.resize(latents_.rows.size());
  latents_.likelihood.log_density(
      latents_.rows, {eta.data(), static_cast<std::size_t>(eta.size())}, Derivatives::value, at);
  double sum = 0;
  for (Index i = 0; i < eta.size(); ++i) {
    const double site = (-sites_.precision[i] * eta[i] / 2 + sites_.shift[i]) * eta[i];
    sum += at[static_cast<std::size_t>(i)].value - site;
  }
  return std::isfinite(sum) ? sum : -std::numeric_limits<double>::infinity();
}

Matrix Target::color(const Matrix& normal) const {
  Matrix out(normal.rows(), normal.cols());
  lapack::set_product(1, factor_, lapack::Op::plain, normal, lapack::Op::plain, out);
  return out;
}

}  // namespace ggpm::internal
