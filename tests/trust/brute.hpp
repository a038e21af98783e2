// The posterior over two latents by a sum over a grid.
#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "ggpm/model.hpp"

namespace ggpm::testing_support {

struct Brute {
  double log_marginal = 0;
  Vector mean, sd;
};

// A model of at most three rows. eta = m + L z, z normal: `side` points from -9 to 9 on each axis.
inline Brute brute_force(const GeneralizedGP& model, int side = 201) {
  const Index n = model.rows();
  Matrix K;
  model.kernel().gram(model.inputs(), K);
  const Matrix L = K.llt().matrixL();
  const std::vector<Row> rows = model.observations().rows();
  std::vector<LogDensity> at(rows.size());
  const double step = 18.0 / (side - 1);
  long points = 1;
  for (Index i = 0; i < n; ++i) points *= side;
  Matrix eta(n, points);
  Vector log_weight(points);
  for (long p = 0; p < points; ++p) {
    Vector z(n);
    long rest = p;
    for (Index i = 0; i < n; ++i, rest /= side) z[i] = -9 + step * static_cast<double>(rest % side);
    const Vector e = model.posterior().prior_mean + L * z;
    model.likelihood().log_density(
        rows, {e.data(), static_cast<std::size_t>(n)}, Derivatives::value, at);
    log_weight[p] = -z.squaredNorm() / 2;
    for (const LogDensity& row : at) log_weight[p] += row.value;
    if (std::isnan(log_weight[p])) log_weight[p] = -1e300;
    eta.col(p) = e;
  }
  const double top = log_weight.maxCoeff();
  const Vector w = (log_weight.array() - top).exp();
  Brute out;
  out.log_marginal = top + std::log(w.sum()) +
                     static_cast<double>(n) * std::log(step / std::sqrt(2 * std::acos(-1.0)));
  out.mean = eta * w / w.sum();
  out.sd = ((eta.colwise() - out.mean).array().square().matrix() * w / w.sum()).cwiseSqrt();
  return out;
}

}  // namespace ggpm::testing_support
