#include "experiments/printed_moments.hpp"

#include <nlopt.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <map>

namespace ggpm::paper {
namespace {

constexpr int kMostEvaluations = 400;
constexpr double kTolerance = 1e-4;  // of the log marginal
const char* name_of_link(bool linear) { return linear ? "linear-com-poisson" : "com-poisson"; }

Matrix squared_distances(const Matrix& A, const Matrix& B) {
  Matrix out = -2 * A * B.transpose();
  out.colwise() += A.rowwise().squaredNorm();
  out.rowwise() += B.rowwise().squaredNorm().transpose();
  return out.cwiseMax(0);
}

// Expansion point and noise of an output.
struct Target {
  double eta, noise;
};
Target target(double y, double nu, bool linear) {
  const double rate = y - 1 / (2 * nu) + 0.5;  // e^theta
  const double slope = linear ? -std::expm1(-rate) / rate : 1;
  return {linear ? rate + std::log(-std::expm1(-rate)) : std::log(rate),
          1 / (nu * rate * slope * slope)};
}

struct Problem {
  bool linear;
  Matrix inner, distances;  // of the training rows
  Vector y;
  double offset;  // added to counts where one is 0, as elsewhere

  Problem(const Matrix& X, Vector outputs, bool linear_mean)
      : linear(linear_mean),
        inner(X * X.transpose()),
        distances(squared_distances(X, X)),
        y(std::move(outputs)),
        offset(y.minCoeff() == 0 ? 0.5 : 0) {}

  Matrix kernel(const std::vector<double>& log,
                const Matrix& inner_,
                const Matrix& distances_) const {
    return std::exp(log[0]) * (inner_.array() + 1) +
           std::exp(log[1]) * (distances_.array() * (-0.5 * std::exp(-2 * log[2]))).exp();
  }
  Vector targets(double nu, Vector& noise) const {
    Vector out(y.size());
    for (Index i = 0; i < y.size(); ++i) {
      const Target of = target(y[i] + offset, nu, linear);
      out[i] = of.eta;
      noise[i] = of.noise;
    }
    return out;
  }
  // sum log p(y | eta~) + 1/2 log|W| - 1/2 log|K + W| - 1/2 t'(K + W)^-1 t
  double log_marginal(const std::vector<double>& log) const {
    const double nu = std::exp(log[3]);
    if (!(y.minCoeff() + offset - 1 / (2 * nu) + 0.5 > 1e-6)) return -1e10;
    Vector noise(y.size());
    const Vector t = targets(nu, noise);
    Matrix K = kernel(log, inner, distances);
    K.diagonal() += noise;
    const Eigen::LLT<Matrix> factor(K);
    if (factor.info() != Eigen::Success) return -1e10;
    const auto likelihood = make_likelihood(name_of_link(linear), {}, {.dispersion = nu});
    std::map<double, double> densities;  // by y
    double sum = 0;
    for (Index i = 0; i < y.size(); ++i) {
      const auto [at, is_new] = densities.try_emplace(y[i]);
      if (is_new) {
        const Row row{.y = y[i]};
        LogDensity l;
        likelihood->log_density({&row, 1}, {&t[i], 1}, Derivatives::value, {&l, 1});
        at->second = l.value;
      }
      sum += at->second + 0.5 * std::log(noise[i]);
    }
    const Vector half = factor.matrixL().solve(t);
    sum -= factor.matrixLLT().diagonal().array().log().sum() + 0.5 * half.squaredNorm();
    return std::isfinite(sum) ? sum : -1e10;
  }
};

double negative(unsigned n, const double* at, double* /*gradient*/, void* problem) {
  return -static_cast<const Problem*>(problem)->log_marginal({at, at + n});
}

}  // namespace

double printed_moments_log_marginal(const Dataset& train,
                                    bool linear,
                                    const std::vector<double>& log_parameters) {
  return Problem(train.X, train.observed.y, linear).log_marginal(log_parameters);
}

PrintedMomentsFit fit_printed_moments(const Dataset& data, const Split& split, bool linear) {
  const Matrix X = data.X(split.train, Eigen::all), Z = data.X(split.test, Eigen::all);
  Problem problem(X, data.observed.y(split.train), linear);
  std::vector<double> best;
  double lowest = INFINITY;
  for (const double nu : {2.0, 20.0}) {
    std::vector<double> at = {std::log(0.1), 0, std::log(5.0), std::log(nu)};
    nlopt_opt optimizer = nlopt_create(NLOPT_LN_SBPLX, 4);
    nlopt_set_min_objective(optimizer, negative, &problem);
    nlopt_set_initial_step1(optimizer, 0.7);
    nlopt_set_ftol_abs(optimizer, kTolerance);
    nlopt_set_maxeval(optimizer, kMostEvaluations);
    double value = INFINITY;
    nlopt_optimize(optimizer, at.data(), &value);
    nlopt_destroy(optimizer);
    if (value < lowest) {
      lowest = value;
      best = at;
    }
  }
  PrintedMomentsFit out{.nu = std::exp(best[3]), .log_marginal = -lowest};
  Vector noise(problem.y.size());
  const Vector t = problem.targets(out.nu, noise);
  Matrix K = problem.kernel(best, problem.inner, problem.distances);
  K.diagonal() += noise;
  const Eigen::LLT<Matrix> factor(K);
  const Matrix across = problem.kernel(best, X * Z.transpose(), squared_distances(X, Z));
  const Vector mean = across.transpose() * factor.solve(t);
  const Matrix half = factor.matrixL().solve(across);
  const auto likelihood = make_likelihood(name_of_link(linear), {}, {.dispersion = out.nu});
  const auto rows = static_cast<double>(Z.rows());
  out.mae = out.nlp = out.mode_mae = 0;
  for (Index i = 0; i < Z.rows(); ++i) {
    const double prior = std::exp(best[0]) * (Z.row(i).squaredNorm() + 1) + std::exp(best[1]);
    const double variance = std::max(prior - half.col(i).squaredNorm(), 1e-12);
    const auto predictive = likelihood->predictive({}, mean[i], variance);
    const double y = data.observed.y[split.test[static_cast<std::size_t>(i)]];
    out.mae += std::abs(std::max(std::round(predictive->mean()), 0.0) - y) / rows;
    out.mode_mae += std::abs(predictive->mode() - y) / rows;
    out.nlp -= predictive->log_density(y) / rows;
  }
  return out;
}

}  // namespace ggpm::paper
