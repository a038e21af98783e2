#include "model/draw_predictor.hpp"

#include "gram/lapack.hpp"
#include "numeric/random.hpp"
#include "numeric/special.hpp"
#include "trust/target.hpp"

namespace ggpm::internal {

void require_dense(const Engine& engine) {
  if (engine.options().name != "dense")
    throw UsageError(
        "mcmc needs the engine dense, which is for some thousands of rows; ask for it, or for "
        "another inference");
}

DrawPredictor::DrawPredictor(const LearningTask& task,
                             const Posterior& posterior,
                             const Matrix& draws)
    : task_(task), z_(draws.colwise() - posterior.prior_mean) {
  require_dense(*task.engine);
  factor_ = Latents(task, posterior.jitter).factor;
  lapack::solve_left(factor_, z_);
  std::mt19937_64 random = numeric::random_stream(1, 0);
  noise_.resize(z_.cols());
  const std::vector<Index> order = numeric::shuffled(noise_.size(), random);
  for (Index s = 0; s < noise_.size(); ++s)
    noise_[order[static_cast<std::size_t>(s)]] =
        numeric::ndtri((static_cast<double>(s) + 0.5) / static_cast<double>(noise_.size()));
}

Matrix DrawPredictor::whitened(const Matrix& Z) const {
  Matrix cross;
  task_.parts.kernel.cross(task_.data->X, Z, cross);
  lapack::solve_left(factor_, cross);
  return cross;
}

Matrix DrawPredictor::means(const Matrix& Z, const Vector& prior_mean) const {
  Matrix out = whitened(Z).transpose() * z_;
  out.colwise() += prior_mean;
  return out;
}

Matrix DrawPredictor::draw(const Matrix& Z, const Vector& prior_mean) const {
  const Matrix v = whitened(Z);
  const Vector variance =
      (task_.parts.kernel.diagonal(Z) - v.colwise().squaredNorm().transpose()).cwiseMax(0.0);
  Matrix out = v.transpose() * z_;
  out.colwise() += prior_mean;
  return out + variance.cwiseSqrt() * noise_.transpose();
}

Matrix DrawPredictor::covariance(const Matrix& Z) const {
  const Matrix v = whitened(Z);
  Matrix out;
  task_.parts.kernel.gram(Z, out);
  return out - v.transpose() * v;
}

}  // namespace ggpm::internal
