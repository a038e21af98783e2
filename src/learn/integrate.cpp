#include "learn/integrate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gram/lapack.hpp"
#include "learn/curvature.hpp"
#include "learn/design.hpp"
#include "learn/runs.hpp"
#include "numeric/constants.hpp"

namespace ggpm::internal {
namespace {

constexpr double kAtBound = 1e-3;        // in learned coordinates
constexpr double kLargestSd = 3;         // of a direction, where the curvature says next to nothing
constexpr double kMostStretch = 3;       // of a direction, by one look at its skewness
constexpr double kLeastVariance = 0.05;  // of a direction, in its first units
constexpr double kLeastDrop = 1e-3, kMostDrop = 1e3;
constexpr double kNegligible = 1e-6;  // weight of a point

// The free parameters inside of their bounds.
std::vector<Index> movable(const ParameterSpace& space, const Vector& at) {
  std::vector<Index> out;
  for (const Index i : space.free())
    if (at[i] - space.to_learned(i, space[i].lower) > kAtBound &&
        space.to_learned(i, space[i].upper) - at[i] > kAtBound)
      out.push_back(i);
  return out;
}

class Integrator {
 public:
  Integrator(const LearningTask& task,
             const Vector& mode,
             const Evaluation& at_mode,
             int threads,
             Monitor& monitor)
      : task_(task),
        mode_(mode),
        at_mode_(at_mode),
        threads_(threads),
        monitor_(monitor),
        center_(mode) {}

  Integration go() {
    const std::vector<Index> free = movable(task_.space, mode_);
    if (!free.empty()) find_axes(free);
    measure_skewness();
    const std::vector<DesignPoint> design = composite_design(dimensions());
    Integration first = weigh(design);
    if (dimensions() == 0 || monitor_.stopped()) return first;
    move_to(first);
    return weigh(design);
  }

 private:
  Index dimensions() const { return axes_.cols(); }

  // The eigenvectors of the curvature, each as long as its standard deviation; of very many those
  // along which most is uncertain.
  void find_axes(const std::vector<Index>& free) {
    Matrix vectors = curvature(task_, mode_, free, at_mode_.inferred.posterior, threads_);
    evaluations_ += 2 * static_cast<int>(free.size());
    if (!vectors.allFinite())
      throw NumericalError("integrate: the curvature of the log marginal is not finite");
    const Vector values = lapack::eigen_symmetric(vectors);  // ascending: the flattest first
    const Index used = std::min<Index>(values.size(), kMostDesigned);
    axes_ = Matrix::Zero(mode_.size(), used);
    for (Index k = 0; k < used; ++k) {
      const double sd = 1 / std::sqrt(std::max(values[k], 1 / (kLargestSd * kLargestSd)));
      for (std::size_t i = 0; i < free.size(); ++i)
        axes_(free[i], k) = sd * vectors(static_cast<Index>(i), k);
    }
    log_volume_ = 0;
    for (Index k = 0; k < used; ++k) log_volume_ += std::log(axes_.col(k).norm());
  }

  // (2, p): below and above the mode, where the points of the axes are. The first probe is where a
  // Gaussian would have fallen enough; between the two, and a little beyond, the fall is a power.
  void measure_skewness() {
    const Index p = dimensions();
    stretch_ = Matrix::Ones(2, p);
    if (p == 0) return;
    const double radius = design_radius(p), wanted = radius * radius / 2;
    const Matrix first = drops(radius);
    const Matrix before = stretch_;
    for (Index k = 0; k < stretch_.size(); ++k)
      stretch_(k) = std::clamp(std::sqrt(wanted / first(k)), 1 / kMostStretch, kMostStretch);
    const Matrix second = drops(radius);
    for (Index k = 0; k < stretch_.size(); ++k) {
      const double power = std::log(second(k) / first(k)) / std::log(stretch_(k) / before(k));
      const double factor = std::pow(wanted / second(k), 1 / std::clamp(power, 0.5, 4.0));
      if (std::isfinite(factor)) stretch_(k) *= std::clamp(factor, 1 / kMostStretch, kMostStretch);
    }
  }

  // To the mean and the covariance that a design has found: the optimum of a skewed density is far from
  // its center, and narrower than the rest.
  void move_to(const Integration& found) {
    const Index p = dimensions();
    const Vector squares = axes_.colwise().squaredNorm().transpose();
    const auto coordinates = [&](const Vector& at) -> Vector {
      return (axes_.transpose() * (at - mode_)).cwiseQuotient(squares);
    };
    Vector mean = Vector::Zero(p);
    for (const IntegrationPoint& point : found.points) mean += point.weight * coordinates(point.at);
    Matrix vectors = Matrix::Zero(p, p);
    for (const IntegrationPoint& point : found.points) {
      const Vector off = coordinates(point.at) - mean;
      vectors += point.weight * off * off.transpose();
    }
    const Vector variances = lapack::eigen_symmetric(vectors).cwiseMax(kLeastVariance);
    center_ = mode_ + axes_ * mean;
    axes_ = axes_ * vectors * variances.cwiseSqrt().asDiagonal();
    log_volume_ += variances.array().log().sum() / 2;
    stretch_ = Matrix::Ones(2, p);
  }

  // By how much the objective has fallen at that distance along each axis; never nothing.
  Matrix drops(double distance) {
    const Index p = dimensions();
    std::vector<Vector> probes;
    for (Index k = 0; k < p; ++k)
      for (const double sign : {-1.0, 1.0})
        probes.emplace_back(sign * distance * Vector::Unit(p, k));
    const std::vector<Evaluation> found = evaluate(probes);
    Matrix out(2, p);
    for (Index k = 0; k < out.size(); ++k)
      out(k) = std::clamp(
          at_mode_.objective - found[static_cast<std::size_t>(k)].objective, kLeastDrop, kMostDrop);
    return out;
  }

  double stretch(Index k, double z) const {
    return z < 0 ? stretch_(0, k) : z > 0 ? stretch_(1, k) : stretch_.col(k).mean();
  }
  Vector place(const Vector& z) const {
    Vector at = center_;
    for (Index k = 0; k < z.size(); ++k) at += stretch(k, z[k]) * z[k] * axes_.col(k);
    return task_.space.clamped(at);
  }

  // What has no answer has no density.
  std::vector<Evaluation> evaluate(const std::vector<Vector>& z) {
    std::vector<Evaluation> out(z.size());
    for (Evaluation& none : out) none.objective = -kInfinity;
    const auto one = [&](Objective& objective, int i) {
      monitor_.check();
      const auto k = static_cast<std::size_t>(i);
      try {
        Evaluation at = objective.evaluate(place(z[k]), &at_mode_.inferred.posterior, false);
        if (at.inferred.report.usable()) out[k] = std::move(at);
      } catch (const Error&) {  // none
      }
    };
    run_objectives(monitor_, task_, static_cast<int>(z.size()), threads_, one);
    evaluations_ += static_cast<int>(z.size());
    return out;
  }

  Integration weigh(const std::vector<DesignPoint>& design) {
    std::vector<Vector> z;
    z.reserve(design.size());
    for (const DesignPoint& point : design) z.push_back(point.z);
    std::vector<Evaluation> found = evaluate(z);
    Vector log_weight(std::ssize(design));
    for (std::size_t k = 0; k < design.size(); ++k) {
      double& log_w = log_weight[static_cast<Index>(k)];
      log_w = std::log(design[k].weight) + found[k].objective - at_mode_.objective +
              design[k].z.squaredNorm() / 2;
      for (Index j = 0; j < dimensions(); ++j) log_w += std::log(stretch(j, design[k].z[j]));
    }
    const double top = log_weight.maxCoeff();
    if (!std::isfinite(top))
      throw NumericalError(
          "integrate: no point around the optimum has a usable posterior; look for extreme "
          "hyperparameters or data");
    const double sum = (log_weight.array() - top).exp().sum();
    Integration out;
    out.evaluations = evaluations_;
    out.log_evidence = at_mode_.objective + top + std::log(sum) + log_volume_ +
                       static_cast<double>(dimensions()) / 2 * std::log(2 * std::numbers::pi);
    double kept = 0;
    for (std::size_t k = 0; k < design.size(); ++k) {
      const double weight = std::exp(log_weight[static_cast<Index>(k)] - top) / sum;
      if (!(weight > kNegligible)) continue;
      out.points.push_back({weight, place(z[k]), std::move(found[k])});
      kept += weight;
    }
    for (IntegrationPoint& point : out.points) point.weight /= kept;
    std::stable_sort(out.points.begin(), out.points.end(), [](const auto& a, const auto& b) {
      return a.weight > b.weight;
    });
    return out;
  }

  const LearningTask& task_;
  const Vector& mode_;
  const Evaluation& at_mode_;
  int threads_;
  Monitor& monitor_;
  Vector center_;
  Matrix axes_ = {};  // (all parameters, p) orthogonal until the center moves
  Matrix stretch_ = {};
  double log_volume_ = 0;
  int evaluations_ = 0;
};

}  // namespace

Integration integrate(const LearningTask& task,
                      const Vector& mode,
                      const Evaluation& at_mode,
                      int threads,
                      Monitor& monitor) {
  return Integrator(task, mode, at_mode, threads, monitor).go();
}

}  // namespace ggpm::internal
