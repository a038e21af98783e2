#include "ggpm/simulate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernel/expression/classes.hpp"
#include "likelihood/softmax.hpp"
#include "model/gaussian_root.hpp"

namespace ggpm {

using namespace internal;

Vector draw_function(const Kernel& kernel, const Matrix& X, std::mt19937_64& random) {
  Matrix K;
  kernel.gram(X, K);
  std::normal_distribution<double> normal;
  Vector z(X.rows());
  for (double& value : z) value = normal(random);
  const double size = K.diagonal().mean();
  return gaussian_root(std::move(K), size, "simulate").triangularView<Eigen::Lower>() * z;
}

namespace {

// A function for each class, class by class.
Simulated simulate_classes(const Kernel& kernel,
                           const Likelihood& likelihood,
                           const Matrix& X,
                           std::mt19937_64& random) {
  const Index n = X.rows(), C = likelihood.levels();
  Simulated out{.latent = Vector(n * C), .y = Vector(n)};
  const std::vector<Kernel> kernels = kernels_of_classes(kernel, C);
  for (Index c = 0; c < C; ++c)
    out.latent.segment(c * n, n) =
        draw_function(kernels[kernels.size() == 1 ? 0 : static_cast<std::size_t>(c)], X, random);
  const Matrix eta = out.latent.reshaped(n, C);
  for (Index i = 0; i < n; ++i)
    out.y[i] = level_predictive(softmax_at(eta.row(i)).p)->sample(random);
  return out;
}

}  // namespace

Simulated simulate(const Kernel& kernel,
                   const Mean& mean,
                   const Likelihood& likelihood,
                   const Dataset& rows,
                   std::mt19937_64& random) {
  if (has_several_latents(likelihood)) return simulate_classes(kernel, likelihood, rows.X, random);
  Simulated out{.latent = draw_function(kernel, rows.X, random) + mean.evaluate(rows.X),
                .y = Vector(rows.X.rows())};
  if (rows.observed.offset.size() > 0) out.latent += rows.observed.offset;
  for (Index i = 0; i < out.y.size(); ++i) {
    Row row = rows.observed.at(i);
    double eta = out.latent[i];
    if (likelihood.exposure_shifts_eta()) {
      eta += std::log(row.exposure);
      row.exposure = 1;
    }
    out.y[i] = likelihood.sample(row, eta, random);
    if (!std::isfinite(out.y[i]))
      throw NumericalError(fmt::format(
          "simulate: row {}: a latent of {:.4g} gives no finite output; use a smaller variance",
          i + 1,
          eta));
  }
  return out;
}

Simulated simulate(const GeneralizedGP& model, const Dataset& rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return simulate(model.kernel(), model.mean(), model.likelihood(), rows, random);
}

}  // namespace ggpm
